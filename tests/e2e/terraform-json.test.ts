import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/command.ts";
import { at, type Json, text } from "../support/emulator.ts";
import { evaluate, NO_OPA } from "../support/opa.ts";
import { certificate, R3 } from "../support/x509.ts";
import { APP, appliedWorlds, DEV, ENTRY_POINT, freshWorld, type World } from "../support/project.ts";

const appliedWorld = appliedWorlds();

const SAMPLES = join(ROOT, "tests/support/terraform-plans");
const POLICY = join(ROOT, "examples/policies/terraform-plan.rego");
const isPlan = new Ajv2020({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(join(SAMPLES, "plan.schema.json"), "utf8")),
);

const SAAS = "zones/saas-dev.yaml";
const SHOP = 'cloudflare_custom_hostname.saas_dev["shop.northwind-books.com"]';
const STORE = 'cloudflare_custom_hostname.saas_dev["store.juniper-and-sons.com"]';
const WWW = 'cloudflare_custom_hostname.saas_dev["www.northwind-books.com"]';

/** Plans, and returns the report. */
async function planned(world: World, ...args: readonly string[]): Promise<Json> {
  await world.zoneform("plan", ...args, "--report", "terraform-json=tf.json");
  return JSON.parse(await readFile(join(world.folder, "tf.json"), "utf8"));
}

/** The resource with the address in a list of a plan. */
function resource(plan: Json, address: string, list = "resource_changes"): Json {
  const all = at(plan, list);
  return (Array.isArray(all) && all.find((each) => at(each, "address") === address)) || null;
}

function actions(plan: Json): Readonly<Record<string, Json>> {
  const all = at(plan, "resource_changes");
  if (!Array.isArray(all)) throw new Error("no changes");
  return Object.fromEntries(all.map((each) => [text(each, "address"), at(each, "change.actions") ?? null]));
}

/** Deletes a hostname in the dashboard, long after it was active. */
function deleteLive(world: World, zone: string, name: string): void {
  world.dashboard(zone, "DELETE", `custom_hostnames/${text(world.hostname(zone, name), "id")}`);
}

const PAIR = certificate({
  subject: "store.juniper-and-sons.com",
  issuer: R3,
  sans: ["store.juniper-and-sons.com"],
});

const PACKS = `certificate_packs:
  - { hosts: [saas.dev, "*.saas.dev"], validation_method: txt, validity_days: 90, certificate_authority: google }
`;

async function changedOutside(): Promise<World> {
  const world = await appliedWorld();
  const { id, ssl } = { id: "", ssl: {}, ...(world.hostname(DEV, "shop.northwind-books.com") as object) };
  world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, {
    ssl: { ...ssl, settings: { min_tls_version: "1.1", http2: "on" } },
  });
  deleteLive(world, DEV, "www.northwind-books.com");
  return world;
}

async function editedRules(): Promise<World> {
  const world = await appliedWorld();
  const rule = {
    action: "execute",
    expression: "true",
    action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
  };
  const { id } = { id: "", ...(world.dashboard(DEV, "GET", ENTRY_POINT) as object) };
  world.dashboard(DEV, "POST", `rulesets/${id}/rules`, { ...rule, ref: "theirs", description: "theirs" });
  await world.edit(SAAS, '"/upload")', '"/uploads")');
  await world.edit(SAAS, "place: first", "place: last");
  return world;
}

/** Ten plans of projects in different states. */
const PLANS: readonly (readonly [name: string, make: () => Promise<Json>])[] = [
  ["a new project", async () => planned(await freshWorld())],
  ["nothing to change", async () => planned(await appliedWorld())],
  [
    "a policy that is weaker",
    async () => {
      const world = await appliedWorld();
      await world.edit(SAAS, 'min_tls_version: "1.3"', 'min_tls_version: "1.0"');
      return planned(world);
    },
  ],
  [
    "another certificate authority",
    async () => {
      const world = await appliedWorld();
      await world.edit(SAAS, "certificate_authority: google } }", "certificate_authority: lets_encrypt } }");
      return planned(world);
    },
  ],
  [
    "deletions, one of them blocked",
    async () => {
      const world = await appliedWorld();
      await world.edit(SAAS, /.*store.juniper-and-sons.com.*\n/, "");
      await world.edit("data/customers.csv", /^shop.northwind-books.com.*\n/m, "");
      return planned(world);
    },
  ],
  ["changes made outside", async () => planned(await changedOutside())],
  ["edited, new and moved rules beside those of others", async () => planned(await editedRules())],
  [
    "released fields and settings",
    async () => {
      const world = await appliedWorld();
      await world.edit(SAAS, ', http2: "on"', "");
      await world.edit(SAAS, /^total_tls:.*\n/m, "");
      return planned(world);
    },
  ],
  [
    "a zone that cannot be read",
    async () => {
      const world = await appliedWorld();
      await world.edit("zones/saas-app.yaml", APP, "0".repeat(32));
      return planned(world);
    },
  ],
  [
    "a part of the project",
    async () => {
      const world = await freshWorld();
      await world.edit(SAAS, /$/, PACKS);
      return planned(world, "--exclude", "ruleset");
    },
  ],
];

describe("a plan in the format of Terraform", () => {
  test("plans that Terraform printed are valid by the schema of the tests", async () => {
    const names = (await readdir(SAMPLES)).filter((name) => name.endsWith(".plan.json"));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      isPlan(JSON.parse(await readFile(join(SAMPLES, name), "utf8")));
      expect(isPlan.errors ?? [], name).toEqual([]);
    }
  });

  test.each(PLANS)("is valid by the schema that was drawn from plans of Terraform: %s", async (_name, make) => {
    isPlan(await make());
    expect(isPlan.errors ?? []).toEqual([]);
  });

  test("lists a blocked deletion too, because the same approval may lift it, and says that it is blocked", async () => {
    const world = await appliedWorld();
    await world.edit(SAAS, /.*store.juniper-and-sons.com.*\n/, "");
    await world.edit("data/customers.csv", /^shop.northwind-books.com.*\n/m, "");
    const plan = await planned(world, "--report", "gitlab-terraform=counts.json");
    expect(actions(plan)).toEqual({ [SHOP]: ["delete"], [STORE]: ["delete"] });
    expect(resource(plan, SHOP)).toMatchObject({
      mode: "managed",
      type: "cloudflare_custom_hostname",
      name: "saas_dev",
      index: "shop.northwind-books.com",
      change: { before: { hostname: "shop.northwind-books.com", zone_id: DEV, ssl: { method: "http" } }, after: null },
    });
    expect(plan).toMatchObject({
      applyable: true,
      complete: false,
      checks: [
        { address: { name: "outage" }, status: "fail" },
        {
          instances: [
            { address: { to_display: STORE }, problems: [{ message: expect.stringContaining("protected") }] },
          ],
        },
      ],
    });
    expect(JSON.parse(await readFile(join(world.folder, "counts.json"), "utf8"))).toEqual({
      create: 0,
      update: 0,
      delete: 2,
    });
  });

  test("has what was changed outside as drift: from what was applied to what is live", async () => {
    const plan = await planned(await changedOutside());
    expect(actions(plan)).toMatchObject({ [SHOP]: ["update"], [WWW]: ["create"] });
    const sides = { before: { ssl: { settings: { min_tls_version: "1.3" } } } };
    expect(resource(plan, SHOP, "resource_drift")).toMatchObject({
      change: { actions: ["update"], ...sides, after: { ssl: { settings: { min_tls_version: "1.1" } } } },
    });
    expect(resource(plan, WWW, "resource_drift")).toMatchObject({
      change: { actions: ["delete"], ...sides, after: null },
    });
    expect(resource(plan, SHOP)).toMatchObject({
      change: {
        before: { ssl: { settings: { min_tls_version: "1.1" } } },
        after: { ssl: { settings: { min_tls_version: "1.3" } } },
      },
    });
  });

  test("has whole rulesets, in the order after the change and with the rules of others", async () => {
    const plan = await planned(await editedRules());
    const change = at(resource(plan, 'cloudflare_ruleset.saas_dev["http_request_firewall_managed"]'), "change") ?? null;
    const refs = (rules: Json | undefined): unknown => Array.isArray(rules) && rules.map((rule) => at(rule, "ref"));
    expect(refs(at(change, "before.rules"))).toEqual([
      "sec/skip-uploads",
      "sec/managed",
      "dashboard-exposed-credentials",
      "theirs",
    ]);
    expect(refs(at(change, "after.rules"))).toEqual([
      "dashboard-exposed-credentials",
      "theirs",
      "sec/skip-uploads",
      "sec/managed",
    ]);
    expect(at(change, "after.rules.2.expression")).toBe('starts_with(http.request.uri.path, "/uploads")');
  });

  test("has null for secrets, and marks them as sensitive", async () => {
    const world = await freshWorld();
    await writeFile(join(world.folder, "key.pem"), PAIR.key);
    await world.edit(
      SAAS,
      "{ hostname: store.juniper-and-sons.com, protect: true,",
      "{ hostname: store.juniper-and-sons.com, ssl: { custom_certificate: { env: OWN }, custom_key: { file: key.pem } },",
    );
    await world.zoneformWith({ OWN: PAIR.certificate }, "plan", "--report", "terraform-json=tf.json");
    const printed = await readFile(join(world.folder, "tf.json"), "utf8");
    expect(resource(JSON.parse(printed), STORE)).toMatchObject({
      change: {
        after: { ssl: { custom_certificate: null, custom_key: null } },
        after_sensitive: { ssl: { custom_certificate: true, custom_key: true } },
      },
    });
    expect(printed).not.toMatch(/key\.pem|OWN|BEGIN|hmac-sha256/);
  });
});

describe(`a policy that was written for plans of Terraform${NO_OPA ?? ""}`, () => {
  const denied = (world: World): unknown => evaluate(POLICY, join(world.folder, "tf.json"), "data.terraform.plan.deny");

  test.skipIf(NO_OPA !== undefined)("judges a plan of Terraform", () => {
    const sample = join(SAMPLES, "03-mixed.plan.json");
    expect(evaluate(POLICY, sample, "data.terraform.plan.deletions")).toEqual([
      'terraform_data.custom_hostname["old.example.com"]',
      "terraform_data.replace_me",
    ]);
    expect(evaluate(POLICY, sample, "data.terraform.plan.deny")).toEqual([]);
  });

  test.skipIf(NO_OPA !== undefined)("lets a harmless plan of ours pass", async () => {
    const world = await appliedWorld();
    await world.edit(SAAS, 'min_tls_version: "1.3"', 'min_tls_version: "1.2"');
    await planned(world);
    expect(denied(world)).toEqual([]);
  });

  test.skipIf(NO_OPA !== undefined)(
    "denies our deletions beyond a number, and another certificate authority",
    async () => {
      const world = await appliedWorld();
      await world.edit(SAAS, "certificate_authority: google } }", "certificate_authority: lets_encrypt } }");
      await world.edit("data/customers.csv", /^(?:app|book)\..*\n/gm, "");
      await world.edit(SAAS, /.*tenants.cloudburst-hosting.com.*\n/, "");
      await planned(world);
      const found = denied(world);
      expect(found).toContain("3 resources would be deleted, 2 are allowed");
      expect(found).toContain(`${WWW} may not use the certificate authority lets_encrypt`);
    },
  );

  test.skipIf(NO_OPA !== undefined)("denies a plan of which a part could not be made", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-app.yaml", APP, "0".repeat(32));
    await planned(world);
    expect(denied(world)).toEqual(["the plan is incomplete: a part of it could not be made"]);
  });
});
