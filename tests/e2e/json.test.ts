import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { OUTPUT_SCHEMA_NAMES } from "../../lib/core/output-schema-names.ts";
import { isList, isObject, type Json } from "../../lib/core/json.ts";
import { ROOT, run } from "../support/command.ts";
import { appliedWorlds, APP, DEV, freshWorld, type World } from "../support/project.ts";
import { editRules } from "../support/dashboard.ts";
import { text } from "../support/emulator.ts";
import { commitAll, git } from "../support/git.ts";

type Name = (typeof OUTPUT_SCHEMA_NAMES)[number];

const appliedWorld = appliedWorlds();
const validators = new Map<Name, ValidateFunction>();
const seen = new Set<Name>();

/** The schema with every object closed: what a command prints and the schema does not know is a fault here. */
function closed(schema: Json): Json {
  if (isList(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  return isObject(schema["properties"]) && schema["type"] === "object" && schema["required"] !== undefined
    ? { ...parts, additionalProperties: false }
    : parts;
}

beforeAll(async () => {
  for (const name of OUTPUT_SCHEMA_NAMES) {
    const { stdout, code } = await run(["schema", `output-${name}`], { cwd: ROOT });
    expect(code).toBe(0);
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
    const schema = closed(JSON.parse(stdout));
    if (!isObject(schema)) throw new Error(`the schema ${name} is no object`);
    validators.set(name, ajv.compile(schema));
  }
});

/** Runs a command, and holds all that it prints on standard output against a schema; gives the document. */
async function holds(name: Name, world: World, ...args: string[]): Promise<unknown> {
  const { stdout, stderr } = await world.zoneform(...args);
  expect(stdout, stderr).not.toBe("");
  const document: unknown = JSON.parse(stdout);
  const validate = validators.get(name);
  expect([validate?.(document), validate?.errors], `${args.join(" ")}\n${stdout.slice(0, 2000)}`).toEqual([true, null]);
  expect(document).toMatchObject({ format_version: expect.stringMatching(/^zoneform\/\d+\.\d+$/) });
  seen.add(name);
  return document;
}

describe("--json output matches its schema", () => {
  test("before anything is applied", async () => {
    const world = await freshWorld();
    await holds("validate", world, "validate", "--json");
    expect(await holds("plan", world, "plan", "--json", "--out", "plan.zfplan")).toMatchObject({
      project: "saas-edge",
    });
    await holds("plan", world, "show", "plan.zfplan", "--json");
    git(world.folder, "init", "--quiet");
    commitAll(world.folder, "the project");
    await holds("plan", world, "plan", "--json", "--since", "HEAD");
    await holds("drift-against-config", world, "drift", "--against", "config", "--json");
    await holds("state-list", world, "state", "list", "--json");
    await holds("waf", world, "waf", "status", "--json");
    await holds("waf", world, "waf", "check", "--json");
    await holds("waf-preview", world, "waf", "preview", "--json");
    await holds("explain", world, "explain", "--json");
    await holds("run", world, "apply", "--json", "--auto-approve");
  });

  test("after an apply", async () => {
    const world = await appliedWorld();
    await holds("runs", world, "undo", "--list", "--json");
    await holds("state-list", world, "state", "list", "--json");
    await holds("state-doctor", world, "state", "doctor", "--json");
    await holds("state-lock", world, "state", "lock", "--json");
    await holds("state-doctor", world, "state", "doctor", "--live", "--json");
    await holds("state-show", world, "state", "show", "saas.dev/total_tls", "--json");
    await holds("state-show", world, "state", "show", 'saas.dev/custom_hostname["shop.northwind-books.com"]', "--json");
    await holds("status", world, "status", "--json");
    await holds("why", world, "why", "saas.dev/total_tls", "--json");
    await holds("why", world, "why", 'saas.dev/ruleset["http_request_firewall_managed"]', "--json");
    await holds("why", world, "why", 'saas.dev/custom_hostname["shop.northwind-books.com"]', "--json");
    await holds("hostname-list", world, "hostname", "list", "--json");
    await holds("hostname-todo", world, "hostname", "todo", "--json");
    await holds("hostname-revalidate", world, "hostname", "revalidate", "shop.northwind-books.com", "--json");
    await holds("certificates", world, "certificates", "list", "--json");
    await holds("certificates", world, "certificates", "search", "shop.northwind-books.com", "--json");
    await holds("ca-audit", world, "ca", "audit", "--json");
    await holds("purge", world, "purge", "--host", "shop.northwind-books.com", "--auto-approve", "--json");
    await holds("run", world, "apply", "--json", "--auto-approve");
    await holds("import", world, "import", "saas.dev/total_tls", DEV, "--json");
  });

  test("after somebody changed live, and something is refused", async () => {
    const world = await appliedWorld();
    world.dashboard(DEV, "POST", "acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });
    editRules(world, ([first = {}, ...others]) => [...others, { ...first, enabled: false }]);
    const record = world.hostname(DEV, "shop.northwind-books.com");
    world.dashboard(DEV, "PATCH", `custom_hostnames/${text(record, "id")}`, { custom_metadata: { tier: "other" } });
    const gone = world.hostname(DEV, "app.meridian-freight.com");
    world.dashboard(DEV, "DELETE", `custom_hostnames/${text(gone, "id")}`);
    expect(await holds("drift", world, "drift", "--json")).toMatchObject({ exit_code: 3 });
    await holds("drift-against-config", world, "drift", "--against", "config", "--json");
    await holds("plan", world, "plan", "--json", "--deny", "create");
    await holds("status", world, "status", "--json");
    await holds("run", world, "apply", "--json", "--auto-approve", "--deny", "create");
    await holds("run", world, "undo", "last", "--json", "--auto-approve");
    await holds("run", world, "destroy", "--json", "--auto-approve");
  });

  test("if a zone cannot be read", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-app.yaml", APP, APP.replace(/.$/, "0"));
    await holds("plan", world, "plan", "--json");
    await holds("drift", world, "drift", "--json");
    await holds("status", world, "status", "--json");
    await holds("hostname-list", world, "hostname", "list", "--json");
    await holds("hostname-todo", world, "hostname", "todo", "--json");
    await holds("certificates", world, "certificates", "list", "--json");
    await holds("ca-audit", world, "ca", "audit", "--json");
  });

  test("if the YAML has errors, and if a run does not start", async () => {
    const world = await freshWorld();
    expect(await holds("run", world, "apply", "--json")).toMatchObject({ stopped: { diagnostics: [{}] } });
    await writeFile(
      join(world.folder, "zones/saas-dev.yaml"),
      "zone: { id: abc, name: saas.dev }\nlifecycle: zonform\n",
    );
    expect(await holds("validate", world, "validate", "--json")).toMatchObject({ valid: false });
    await holds("run", world, "apply", "--json", "--auto-approve");
  });

  test("every schema was compared with at least one document", () => {
    expect([...seen].sort()).toEqual([...OUTPUT_SCHEMA_NAMES].sort());
  });
});

test("--format wins over --json if both are given", async () => {
  const { zoneform } = await freshWorld();
  expect((await zoneform("explain", "1408", "--format", "text", "--json")).stdout).toMatch(/^1408 \(/);
});
