import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withDeclaration } from "../../../lib/config/declare.ts";
import { kindNamed } from "../../../lib/kinds/registry.ts";
import { at, type Json, text } from "../../support/emulator.ts";
import { changesOf, driftInWords, inWords, type Rig, ZONE } from "../../support/engine.ts";
import { importedZone } from "../../support/importing.ts";
import { RULES, TRICKY } from "../../support/whole-zone.ts";

const DAY_MILLISECONDS = 24 * 3_600_000;

describe("import --write of a whole zone", () => {
  /** For tests that only read it. */
  let imported: Rig;
  beforeAll(async () => {
    imported = await importedZone();
  });

  test("plans no changes, and declares every object", async () => {
    const plan = await imported.plan();
    expect(inWords(changesOf(plan))).toEqual([]);
    expect(plan.zones.flatMap(({ findings }) => findings)).toEqual([]);
    const file: Json = parse(imported.read("zones/a.yaml"));
    expect(new Set(Object.keys(members(at(file, "entry_points"))))).toEqual(new Set(Object.keys(RULES)));
    expect(at(file, "waf_migration")).toEqual({ target: "previous" });
  });

  test("keeps CAs, names, descriptions, wildcards and branding as they are live", () => {
    const file: Json = parse(imported.read("zones/a.yaml"));
    const entries = new Map(list(at(file, "custom_hostnames.entries")).map((entry) => [at(entry, "hostname"), entry]));
    const live = new Map(list(hostnamesOf(imported)).map((record) => [at(record, "hostname"), record]));
    expect(new Set(entries.keys())).toEqual(new Set(live.keys()));
    for (const [hostname, record] of live) {
      const entry = entries.get(hostname) ?? null;
      for (const leaf of ["certificate_authority", "wildcard", "method", "bundle_method"])
        expect([hostname, leaf, at(entry, `ssl.${leaf}`)]).toEqual([hostname, leaf, at(record, `ssl.${leaf}`)]);
    }
    expect(at(entries.get("named-ca.customer.net") ?? null, "ssl.certificate_authority")).toBe("lets_encrypt");
    expect(at(entries.get("metadata.customer.net") ?? null, "custom_metadata")).toEqual(TRICKY);
    const packs = list(at(file, "certificate_packs")).map((pack) => at(pack, "cloudflare_branding"));
    expect(new Set(packs)).toEqual(new Set([false, true]));
    for (const [phase, entryPoint] of Object.entries(members(at(file, "entry_points"))))
      expect(entryPoint).toMatchObject({ name: `zone entry point: ${phase}`, description: "on" });
  });

  test("is read the same by a YAML 1.1 parser", () => {
    const yaml = imported.read("zones/a.yaml");
    expect(parse(yaml, { version: "1.1" })).toEqual(parse(yaml));
    // YAML 1.1 parsers end a line at these.
    expect(yaml).not.toMatch(/[\u0085\u2028\u2029]/);
  });

  test.each([
    ["the CA", "named-ca.customer.net", { certificate_authority: "google" }, "ssl.certificate_authority"],
    [
      "the CA that nobody chose",
      "unset-ca.customer.net",
      { certificate_authority: "lets_encrypt" },
      "ssl.certificate_authority",
    ],
  ])("reports a later change of %s as drift", async (_what, hostname, change, leaf) => {
    const rig = await importedZone();
    const record = list(hostnamesOf(rig)).find((each) => at(each, "hostname") === hostname) ?? null;
    const body: Json = { ssl: { type: "dv", method: "http", ...change } };
    dashboard(rig, "PATCH", `custom_hostnames/${text(record, "id")}`, body);
    await rig.wait(DAY_MILLISECONDS);
    expect(driftInWords(await rig.drift())).toEqual([`changed custom_hostname["${hostname}"] ${leaf}:drift`]);
  });

  test("reports a later change of an entry point's description as drift", async () => {
    const rig = await importedZone();
    const path = "rulesets/phases/http_ratelimit/entrypoint";
    const before = members(dashboard(rig, "GET", path));
    dashboard(rig, "PUT", path, { rules: before["rules"] ?? [], description: "off" });
    expect(driftInWords(await rig.drift())).toEqual(['changed ruleset["http_ratelimit"] description:drift']);
  });
});

describe("an imported declaration", () => {
  const hostname = (value: string): string =>
    withDeclaration("version: 1\n", kindNamed("custom_hostname"), "a.net", {
      hostname: "a.net",
      custom_metadata: { k: value },
    });

  test.each(["on", "off", "no", "y", "1:30", "1_000", "2026-11-22", "0o17", "~"])("quotes %j", (text) => {
    expect(hostname(text)).toMatch(/ k: ["']/);
  });

  test.each(["plain", "app.customer.net", "google", "http_request"])("does not quote %j", (text) => {
    expect(hostname(text)).toContain(` k: ${text}\n`);
  });
});

function dashboard({ admin }: Rig, method: string, path: string, body?: Json): Json {
  const answer = admin.dashboard(method, `/zones/${ZONE.id}/${path}`, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body}`);
  return at(JSON.parse(answer.body), "result") ?? null;
}

function hostnamesOf(rig: Rig): Json {
  return dashboard(rig, "GET", "custom_hostnames?per_page=50");
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function members(value: Json | undefined): { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
