import { describe, expect, it } from "vitest";
import type { SeedWaf, SeedZone } from "../../../lib/emulator.ts";
import { at, code, text, world, ZONE_ID, type Answer, type Json, type World } from "../../support/emulator.ts";

const SERVICE = "efb7b8c949ac4650a09736fc376e9aee";
const ENTRY = "/rulesets/phases/http_request_firewall_managed/entrypoint";
const PENDING = `${ENTRY}?waf_migration=pending&phase_two=1`;
const VALIDATION = `${ENTRY}?waf_migration=validation&phase_two=1`;
const CONFIG = "/waf_migration/config?phase_two=1";

/** How long a migration call may take to have effect, in seconds. */
const HOUR = 3600;

type Plan = NonNullable<SeedZone["plan"]>;

function execute(more: { [key: string]: Json } = {}): { [key: string]: Json } {
  return { action: "execute", expression: "true", enabled: true, action_parameters: { id: SERVICE }, ...more };
}

const ENABLED = { name: "default", rules: [execute()] };
const DISABLED = { name: "default", rules: [execute({ enabled: false })] };

function zoneOf(plan: Plan, waf: SeedWaf = {}): World {
  return world({ plan, waf });
}

/** The migration's state, and whether the new and the old rules are enabled. */
function status(made: World): unknown[] {
  const answer = made.zone("GET", "/waf_migration/status");
  return ["migration_state", "new_waf_status", "old_waf_status"].map((name) => at(answer, `result.${name}`));
}

/** Which rules the edge runs for a URL, in order. */
function runs(made: World, url?: string): Json | undefined {
  return at(JSON.parse(made.admin.waf.look(ZONE_ID, url).body), "result.runs");
}

function message(answer: Answer): string {
  return text(answer, "errors.0.message");
}

/** A zone that has migrated through the API and the clock. */
function migrated(plan: Plan = "business", waf: SeedWaf = {}): World {
  const made = zoneOf(plan, waf);
  expect(made.zone("PUT", PENDING, ENABLED).status).toBe(200);
  made.wait(HOUR);
  return made;
}

describe("a Pro or Business zone", () => {
  it.each(["pro", "business"] as const)(
    "%s: finishes with pending, and the previous rules turn off by themselves",
    (plan) => {
      const made = zoneOf(plan);
      expect(status(made)).toEqual(["start", "disabled", "enabled"]);
      const answer = made.zone("PUT", PENDING, ENABLED);
      expect(at(answer, "result")).toMatchObject({ version: "1", kind: "zone" });
      expect(status(made)).toEqual(["start", "disabled", "enabled"]);
      made.wait(5);
      expect(status(made)).toEqual(["start", "enabled", "enabled"]);
      made.wait(10);
      expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
    },
  );

  it("never enters validation", () => {
    const made = zoneOf("business");
    const refused = made.zone("PUT", VALIDATION, ENABLED);
    expect([refused.status, code(refused)]).toEqual([400, 50002]);
    expect(status(made)).toEqual(["start", "disabled", "enabled"]);
    expect(made.zone("GET", ENTRY).status).toBe(404);
  });

  it("saves only disabled rules before it migrates, by any call", () => {
    const made = zoneOf("pro");
    const refused = made.zone("PUT", ENTRY, ENABLED);
    expect([refused.status, at(refused, "errors.0.source.pointer")]).toEqual([400, "/rules/0/enabled"]);
    const zoneRuleset = { kind: "zone", phase: "http_request_firewall_managed" };
    expect(made.zone("POST", "/rulesets", { ...ENABLED, ...zoneRuleset }).status).toBe(400);
    const saved = made.zone("PUT", ENTRY, DISABLED);
    expect(saved.status).toBe(200);
    const ruleset = `/rulesets/${text(saved, "result.id")}`;
    const rule = `${ruleset}/rules/${text(saved, "result.rules.0.id")}`;
    expect(made.zone("PUT", ruleset, { rules: [execute()] }).status).toBe(400);
    expect(made.zone("POST", `${ruleset}/rules`, execute()).status).toBe(400);
    expect(made.zone("PATCH", rule, execute()).status).toBe(400);
    expect(made.zone("PATCH", rule, execute({ enabled: false, description: "later" })).status).toBe(200);
    expect(status(made)).toEqual(["start", "disabled", "enabled"]);
  });

  it("can use its other phases meanwhile, and this one after the migration", () => {
    const made = zoneOf("pro");
    const custom = "/rulesets/phases/http_request_firewall_custom/entrypoint";
    expect(made.zone("PUT", custom, { rules: [{ action: "block", expression: "true" }] }).status).toBe(200);
    expect(migrated("pro").zone("PUT", ENTRY, ENABLED).status).toBe(200);
  });
});

describe("an Enterprise zone", () => {
  it("validates with both versions, the new one first, and then finishes", () => {
    const made = zoneOf("enterprise");
    expect(runs(made)).toEqual(["previous"]);
    expect(made.zone("PUT", VALIDATION, ENABLED).status).toBe(200);
    expect(status(made)).toEqual(["validation", "disabled", "enabled"]);
    made.wait(5);
    expect(status(made)).toEqual(["validation", "enabled", "enabled"]);
    expect(runs(made)).toEqual(["new", "previous"]);
    made.wait(30 * 24 * HOUR);
    expect(status(made)).toEqual(["validation", "enabled", "enabled"]);
    expect(made.zone("PUT", PENDING, ENABLED).status).toBe(200);
    made.wait(15);
    expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
    expect(runs(made)).toEqual(["new"]);
  });

  it("can also finish from the start, without validation", () => {
    expect(status(migrated("enterprise"))).toEqual(["complete", "enabled", "disabled"]);
  });

  it("may have enabled new rules without migrating", () => {
    const made = zoneOf("enterprise");
    expect(made.zone("PUT", ENTRY, ENABLED).status).toBe(200);
    made.wait(HOUR);
    expect(status(made)).toEqual(["start", "enabled", "enabled"]);
    made.zone("PUT", VALIDATION, ENABLED);
    expect(status(made)).toEqual(["validation", "enabled", "enabled"]);
  });

  it("accepts 2 for validation and 1 for pending too", () => {
    const made = zoneOf("enterprise");
    made.zone("PUT", `${ENTRY}?waf_migration=2&phase_two=1`, ENABLED);
    expect(status(made)[0]).toBe("validation");
    made.zone("PUT", `${ENTRY}?waf_migration=1&phase_two=1`, ENABLED);
    made.wait(HOUR);
    expect(status(made)[0]).toBe("complete");
  });

  it("can adjust its rules in validation, and stays there", () => {
    const made = zoneOf("enterprise");
    made.zone("PUT", VALIDATION, ENABLED);
    made.wait(HOUR);
    expect(made.zone("PUT", VALIDATION, { rules: [execute({ description: "adjusted" })] }).status).toBe(200);
    expect(made.zone("PUT", ENTRY, { rules: [execute({ description: "again" })] }).status).toBe(200);
    expect(status(made)).toEqual(["validation", "enabled", "enabled"]);
  });

  it("has no id, version and ref in validation, and may have empty ones at the end", () => {
    const made = zoneOf("enterprise");
    const config = at(made.zone("GET", CONFIG), "result") ?? null;
    const refused = made.zone("PUT", VALIDATION, config);
    expect([refused.status, at(refused, "errors.0.source.pointer")]).toEqual([400, "/rules/0/id"]);
    for (const name of ["id", "version", "ref"]) {
      const answer = made.zone("PUT", VALIDATION, { rules: [execute({ [name]: "" })] });
      expect([answer.status, at(answer, "errors.0.source.pointer")]).toEqual([400, `/rules/0/${name}`]);
    }
    const final = made.zone("PUT", PENDING, config);
    expect(text(final, "result.rules.0.id")).toMatch(/^[0-9a-f]{32}$/);
    expect(at(final, "result.rules.0.ref")).toBe(at(final, "result.rules.0.id"));
    expect(at(final, "result.rules.0.version")).toBe("1");
  });
});

describe("the final call", () => {
  it("is refused if no new managed rule is enabled, and saves nothing", () => {
    const made = zoneOf("business");
    expect(message(made.zone("PUT", PENDING, DISABLED))).toContain("enabled");
    const skip = { action: "skip", expression: "true", action_parameters: { ruleset: "current" } };
    expect(made.zone("PUT", PENDING, { rules: [skip] }).status).toBe(400);
    expect(made.zone("PUT", PENDING, { description: "no rules at all" }).status).toBe(400);
    expect(made.zone("GET", ENTRY).status).toBe(404);
    made.wait(HOUR);
    expect(status(made)).toEqual(["start", "disabled", "enabled"]);
  });

  it.each([
    ["a URI-based override", { uri_overrides: [{ urls: ["saas.net/x*"] }] }],
    [
      "201 firewall rules to migrate",
      {
        firewall_rules: Array.from({ length: 201 }, () => ({
          expression: "true",
          action: "bypass",
          products: ["waf"],
        })),
      },
    ],
    [
      "an expression over 4 KB",
      { firewall_rules: [{ expression: "x".repeat(4097), action: "bypass", products: ["waf"] }] },
    ],
  ])("is refused for %s, like validation", (_what, waf) => {
    const made = zoneOf("enterprise", waf);
    expect(message(made.zone("PUT", PENDING, ENABLED))).toContain("not eligible");
    expect(message(made.zone("PUT", VALIDATION, ENABLED))).toContain("not eligible");
    made.wait(HOUR);
    expect(status(made)[0]).toBe("start");
  });

  it.each([
    ["an unknown mode", "waf_migration=done&phase_two=1"],
    ["a member of every object as mode", "waf_migration=constructor&phase_two=1"],
    ["no phase_two=1", "waf_migration=pending"],
  ])("is refused for %s", (_what, query) => {
    expect(zoneOf("enterprise").zone("PUT", `${ENTRY}?${query}`, ENABLED).status).toBe(400);
  });

  it("is refused in another phase", () => {
    const path = "/rulesets/phases/http_request_firewall_custom/entrypoint?waf_migration=pending&phase_two=1";
    expect(zoneOf("enterprise").zone("PUT", path, { rules: [] }).status).toBe(400);
  });

  it("does nothing in a dry run", () => {
    const made = zoneOf("business");
    expect(made.zone("PUT", `${PENDING}&dry_run=true`, ENABLED).status).toBe(200);
    expect(made.zone("PUT", `${PENDING}&dry_run=true`, DISABLED).status).toBe(400);
    made.wait(HOUR);
    expect(status(made)).toEqual(["start", "disabled", "enabled"]);
    const other = zoneOf("enterprise");
    other.zone("PUT", ENTRY, ENABLED);
    for (const path of [PENDING, VALIDATION])
      expect(other.zone("PUT", `${path}&dry_run=true`, ENABLED).status).toBe(200);
    other.wait(HOUR);
    expect(status(other)).toEqual(["start", "enabled", "enabled"]);
  });

  it("can be repeated until it has taken effect, without a delay, and cannot go back to validation", () => {
    const made = zoneOf("enterprise");
    made.zone("PUT", PENDING, ENABLED);
    made.wait(10);
    expect(made.zone("PUT", PENDING, ENABLED).status).toBe(200);
    expect(made.zone("PUT", VALIDATION, ENABLED).status).toBe(400);
    made.wait(5);
    expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
  });

  it("keeps the previous rules on while the new ones are removed, so that one version always protects", () => {
    const made = zoneOf("enterprise");
    made.zone("PUT", PENDING, ENABLED);
    made.zone("PUT", ENTRY, { rules: [] });
    made.wait(HOUR);
    expect(status(made)).toEqual(["start", "disabled", "enabled"]);
    made.zone("PUT", ENTRY, ENABLED);
    made.wait(15);
    expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
  });
});

describe("after the migration", () => {
  it.each(["described", "public"] as const)("the previous calls answer 410 (%s)", (behaviour) => {
    const made = world({ plan: "business" }, { behaviour });
    const paths = [
      "/packages",
      "/packages/c504870194831cd12c3fc0284f294abb",
      "/packages/c504870194831cd12c3fc0284f294abb/groups",
      "/packages/c504870194831cd12c3fc0284f294abb/rules",
    ].map((path) => `/firewall/waf${path}`);
    expect(paths.map((path) => made.zone("GET", path).status)).toEqual([200, 200, 200, 200]);
    made.zone("PUT", PENDING, ENABLED);
    made.wait(HOUR);
    const answers = [...paths, "/firewall/waf/overrides"].map((path) => made.zone("GET", path));
    expect(answers.map(({ status: is }) => is)).toEqual([410, 410, 410, 410, 410]);
    expect(answers[0]?.body).toMatchObject({ success: false, result: null });
    expect(made.zone("PATCH", paths[1] ?? "", { sensitivity: "low" }).status).toBe(410);
  });

  it("the setting waf is a 400: there is no global switch", () => {
    const { zone } = migrated();
    expect(zone("GET", "/settings/waf").status).toBe(400);
    expect(zone("PATCH", "/settings/waf", { value: "off" }).status).toBe(400);
  });

  it("no call of the migration is accepted again: it is irreversible", () => {
    const made = migrated("enterprise");
    for (const path of [PENDING, VALIDATION])
      expect(message(made.zone("PUT", path, ENABLED))).toContain("irreversible");
    expect(made.zone("GET", CONFIG).status).toBe(400);
    expect(at(made.zone("GET", "/waf_migration/check?phase_two=1"), "result")).toMatchObject({
      compatible: false,
      migration_state: "complete",
    });
    made.wait(365 * 24 * HOUR);
    expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
  });

  it("only the Rulesets API edits the new rules", () => {
    const made = migrated();
    expect(made.zone("PUT", ENTRY, DISABLED).status).toBe(200);
    expect(status(made)).toEqual(["complete", "disabled", "disabled"]);
  });

  it("a page rule WAF Off, which stopped the previous rules, does not stop the new ones", () => {
    const made = zoneOf("enterprise", { page_rules: [{ url: "saas.net/img/*", waf: "off" }] });
    const url = "https://saas.net/img/logo.png";
    expect([runs(made, url), runs(made, "https://saas.net/")]).toEqual([[], ["previous"]]);
    made.zone("PUT", VALIDATION, ENABLED);
    made.wait(HOUR);
    expect([runs(made, url), runs(made, "https://saas.net/")]).toEqual([["new"], ["new", "previous"]]);
    made.zone("PUT", PENDING, ENABLED);
    made.wait(HOUR);
    expect(runs(made, url)).toEqual(["new"]);
  });

  it("only the first matching page rule counts", () => {
    const page_rules = [
      { url: "*saas.net/img/safe*", waf: "on" },
      { url: "saas.net/img/*", disable_security: true },
    ] as const;
    const made = zoneOf("enterprise", { enabled: false, page_rules });
    const of = (path: string): unknown => runs(made, `https://saas.net${path}`);
    expect([of("/img/safe.png"), of("/img/other.png"), of("/")]).toEqual([["previous"], [], []]);
  });
});

describe("the dashboard", () => {
  it("deploys on Business: the previous version turns off by itself", () => {
    const made = zoneOf("business");
    expect(made.admin.waf.deploy(ZONE_ID).status).toBe(200);
    made.wait(HOUR);
    expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
    expect(at(made.zone("GET", ENTRY), "result.rules.0.action_parameters.id")).toBe(SERVICE);
    expect(made.admin.waf.deploy(ZONE_ID).status).toBe(400);
  });

  it("deploys on Enterprise: validation, then Ready to update, then Turn off previous version", () => {
    const made = zoneOf("enterprise");
    const { waf } = made.admin;
    expect(waf.ready(ZONE_ID).status).toBe(400);
    expect(waf.deploy(ZONE_ID).status).toBe(200);
    made.wait(HOUR);
    expect(status(made)).toEqual(["validation", "enabled", "enabled"]);
    expect(waf.turnOffPrevious(ZONE_ID).status).toBe(400);
    expect(waf.ready(ZONE_ID).status).toBe(200);
    made.wait(HOUR);
    expect(status(made)[0]).toBe("validation");
    expect(waf.turnOffPrevious(ZONE_ID).status).toBe(200);
    made.wait(HOUR);
    expect(status(made)).toEqual(["complete", "enabled", "disabled"]);
  });

  it("deploys what was reviewed, and nothing on an ineligible zone", () => {
    const made = zoneOf("business");
    made.admin.waf.deploy(ZONE_ID, { rules: [execute({ description: "reviewed" })] });
    expect(at(made.zone("GET", ENTRY), "result.rules.0.description")).toBe("reviewed");
    const other = zoneOf("business", { uri_overrides: [{ urls: ["a"] }] });
    expect(other.admin.waf.deploy(ZONE_ID).status).toBe(400);
    expect(other.zone("GET", ENTRY).status).toBe(404);
  });
});

describe("status", () => {
  it("has the documented members, and says whether anything was set", () => {
    const made = zoneOf("business");
    const path = "/waf_migration/status";
    expect(made.zone("GET", path).body).toEqual({
      result: {
        created: "2026-02-06T18:11:23.000000Z",
        migration_state: "start",
        new_waf_status: "disabled",
        old_waf_status: "enabled",
        source: "defaults",
      },
      success: true,
      errors: [],
      messages: [],
    });
    made.zone("PATCH", "/firewall/waf/packages/c504870194831cd12c3fc0284f294abb", { sensitivity: "low" });
    expect(at(made.zone("GET", path), "result.source")).toBe("zone");
  });

  it("is default for a zone that never had the previous rules, whose calls are 410", () => {
    const free = world({ plan: "free" });
    expect(status(free)).toEqual(["default", "disabled", "disabled"]);
    expect(free.zone("GET", "/firewall/waf/packages").status).toBe(410);
    const later = zoneOf("pro", { migration: "default" });
    expect(later.zone("PUT", ENTRY, ENABLED).status).toBe(200);
    expect(status(later)).toEqual(["default", "enabled", "disabled"]);
    expect(later.zone("PUT", PENDING, ENABLED).status).toBe(400);
  });

  it("continues from a snapshot that was taken during the migration", () => {
    const made = zoneOf("business");
    made.zone("PUT", PENDING, ENABLED);
    const again = world({}, { snapshot: made.admin.snapshot() });
    again.wait(15);
    expect(status(again)).toEqual(["complete", "enabled", "disabled"]);
  });
});

describe("the new managed rulesets", () => {
  it("can each be deployed alone, with the core rule set 3.x", () => {
    const made = migrated();
    const list = at(made.zone("GET", "/rulesets"), "result");
    const managed = Array.isArray(list) ? list.filter((ruleset) => at(ruleset, "kind") === "managed") : [];
    const owasp = managed.find((ruleset) => at(ruleset, "id") === "4814384a9e5d4991b9815dcfc25d2f1f") ?? null;
    expect(at(owasp, "description")).toContain("core rule set 3.x");
    expect(at(made.zone("GET", ENTRY), "result.rules")).toHaveLength(1);
  });
});
