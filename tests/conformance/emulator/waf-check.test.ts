import { describe, expect, it } from "vitest";
import type { SeedWaf } from "../../../lib/emulator.ts";
import { at, text, world, type Answer, type Json } from "../../support/emulator.ts";

const CHECK = "/waf_migration/check";
const CONFIG = "/waf_migration/config?phase_two=1";
const SERVICE = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";
const THRESHOLD = "6179ae15870a4bb7b2d480d4843b323c";

function check(waf: SeedWaf, query = "?phase_two=1"): Answer {
  return world({ waf }).zone("GET", `${CHECK}${query}`);
}

function reasons(answer: Answer): unknown {
  const list = at(answer, "result.reasons");
  return Array.isArray(list) ? list.map((item) => at(item, "reason")) : list;
}

/** This many firewall rules that bypass the managed rules. */
function bypasses(count: number, expression = "true"): { [key: string]: Json }[] {
  return Array.from({ length: count }, () => ({ expression, action: "bypass", products: ["waf"] }));
}

/** The derived rules of a zone. */
function derived(waf: SeedWaf): { [key: string]: Json }[] {
  const rules = at(world({ waf }).zone("GET", CONFIG), "result.rules");
  return Array.isArray(rules) ? rules.flatMap((rule) => (isRecord(rule) ? [rule] : [])) : [];
}

function isRecord(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function executing(waf: SeedWaf, id: string): Json {
  return derived(waf).find((rule) => at(rule, "action_parameters.id") === id) ?? null;
}

/** The paranoia levels that are turned off, and the rule that decides by the score. */
function owasp(waf: SeedWaf): unknown {
  const rule = executing(waf, OWASP);
  return [at(rule, "action_parameters.overrides.categories"), at(rule, "action_parameters.overrides.rules.0")];
}

function off(...levels: number[]): unknown {
  return levels.map((level) => ({ category: `paranoia-level-${level}`, enabled: false }));
}

describe("check with phase_two=1", () => {
  it("says that an ordinary zone can migrate", () => {
    expect(check({}).body).toEqual({
      result: { compatible: true, migration_state: "start" },
      success: true,
      errors: [],
      messages: [],
    });
  });

  it("refuses a zone with a URI-based override, until it is deleted", () => {
    const made = world({ waf: { uri_overrides: [{ id: "one", urls: ["saas.net/x*"], paused: true }] } });
    const refused = made.zone("GET", `${CHECK}?phase_two=1`);
    expect(at(refused, "result.compatible")).toBe(false);
    expect(reasons(refused)).toEqual(["uri_overrides"]);
    expect(text(refused, "result.reasons.0.message")).toContain("one");
    made.zone("DELETE", "/firewall/waf/overrides/one");
    expect(at(made.zone("GET", `${CHECK}?phase_two=1`), "result.compatible")).toBe(true);
  });

  it("accepts 200 firewall rules to migrate, and refuses 201", () => {
    expect(at(check({ firewall_rules: bypasses(200) }), "result.compatible")).toBe(true);
    expect(reasons(check({ firewall_rules: bypasses(201) }))).toEqual(["firewall_rules"]);
  });

  it("does not count firewall rules that do not migrate", () => {
    const others = Array.from({ length: 300 }, () => ({ expression: "true", action: "block" }));
    const hot = bypasses(1).map((rule) => ({ ...rule, products: ["hot"] }));
    expect(at(check({ firewall_rules: [...others, ...hot, ...bypasses(200)] }), "result.compatible")).toBe(true);
  });

  it("accepts an expression of 4,096 bytes, and refuses one of 4,097: bytes, not characters", () => {
    const ascii = (bytes: number): SeedWaf => ({ firewall_rules: bypasses(1, "x".repeat(bytes)) });
    expect(at(check(ascii(4096)), "result.compatible")).toBe(true);
    expect(reasons(check(ascii(4097)))).toEqual(["expression_length"]);
    // "é" is one character of two bytes.
    const wide = (pairs: number, more: string): SeedWaf => ({ firewall_rules: bypasses(1, "é".repeat(pairs) + more) });
    expect(at(check(wide(2048, "")), "result.compatible")).toBe(true);
    expect(reasons(check(wide(2048, "x")))).toEqual(["expression_length"]);
  });

  it("accepts a long expression in a rule that does not migrate", () => {
    const rule = { expression: "x".repeat(5000), action: "block" };
    expect(at(check({ firewall_rules: [rule] }), "result.compatible")).toBe(true);
  });

  it("names every possible reason", () => {
    const waf = { uri_overrides: [{ urls: ["a"] }], firewall_rules: bypasses(201, "x".repeat(4097)) };
    expect(reasons(check(waf))).toEqual(["uri_overrides", "firewall_rules", "expression_length"]);
  });

  it("refuses a free zone, which never had the previous managed rules", () => {
    const free = world({ plan: "free" }).zone("GET", `${CHECK}?phase_two=1`);
    expect(at(free, "result")).toMatchObject({ compatible: false, migration_state: "default" });
  });
});

describe("check without phase_two=1", () => {
  const only: SeedWaf = { owasp: { sensitivity: "off" } };

  it("accepts a zone whose WAF is disabled, or that has only the managed ruleset enabled", () => {
    expect(at(check({ enabled: false }, ""), "result.compatible")).toBe(true);
    expect(at(check(only, ""), "result.compatible")).toBe(true);
    expect(reasons(check({}, ""))).toEqual(["owasp"]);
  });

  it.each<[string, SeedWaf]>([
    ["bypass_rules", { firewall_rules: bypasses(1) }],
    ["page_rules", { page_rules: [{ url: "saas.net/*", waf: "off" }] }],
    ["page_rules", { page_rules: [{ url: "saas.net/*", waf: "on" }] }],
    ["page_rules", { page_rules: [{ url: "saas.net/*", disable_security: true }] }],
    ["uri_overrides", { uri_overrides: [{ urls: ["saas.net/x*"] }] }],
  ])("refuses a zone for %s", (reason, more) => {
    expect(reasons(check({ ...only, ...more }, ""))).toEqual([reason]);
  });

  it("accepts page rules and firewall rules of another kind", () => {
    const waf = {
      ...only,
      page_rules: [{ url: "saas.net/*", actions: [{ id: "always_online", value: "on" }] }],
      firewall_rules: [{ expression: "true", action: "block" }],
    };
    expect(at(check(waf, ""), "result.compatible")).toBe(true);
  });
});

describe("config", () => {
  it("is a ruleset whose rules have an empty id, version and ref", () => {
    const config = world().zone("GET", CONFIG);
    expect(at(config, "result.name")).toBe("default");
    expect(at(config, "result.rules.0")).toEqual({
      id: "",
      version: "",
      action: "execute",
      expression: "true",
      description: "",
      ref: "",
      enabled: true,
      action_parameters: {
        id: SERVICE,
        overrides: { rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: "log", enabled: false }] },
      },
    });
  });

  it.each([
    ["high", off(3, 4), 40],
    ["medium", off(2, 3, 4), 25],
    ["low", off(2, 3, 4), 40],
    [undefined, off(3, 4), 40],
  ] as const)("maps the sensitivity %s to its paranoia level and score threshold", (sensitivity, levels, threshold) => {
    const waf: SeedWaf = sensitivity === undefined ? {} : { owasp: { sensitivity } };
    expect(owasp(waf)).toEqual([levels, { id: THRESHOLD, action: "challenge", score_threshold: threshold }]);
    expect(at(executing(waf, OWASP), "enabled")).toBe(true);
  });

  it("has the OWASP rule disabled for the sensitivity off, with PL2, because no row of the table decides", () => {
    const waf: SeedWaf = { owasp: { sensitivity: "off" } };
    expect(at(executing(waf, OWASP), "enabled")).toBe(false);
    expect(owasp(waf)).toMatchObject([off(3, 4), { score_threshold: 40 }]);
    expect(at(executing(waf, SERVICE), "enabled")).toBe(true);
  });

  it.each([
    ["simulate", "log"],
    ["block", "block"],
    ["challenge", "challenge"],
  ] as const)("maps the action %s to %s", (action_mode, action) => {
    expect(owasp({ owasp: { action_mode } })).toMatchObject([{}, { action }]);
  });

  it("does not include group and rule overrides", () => {
    const changed: SeedWaf = {
      groups: { "OWASP XSS Attacks": "off", "Cloudflare Php": "off" },
      rules: { "981176": "off", "100000": "simulate" },
    };
    expect(derived(changed)).toEqual(derived({}));
  });

  it("has a skip rule for each firewall rule that bypasses the managed rules, before what they skip", () => {
    const [one] = bypasses(1, 'http.host eq "one"');
    const [two] = bypasses(1, 'http.host eq "two"');
    const rules = derived({
      firewall_rules: [
        { ...one, priority: 2, description: "ours" },
        { ...two, priority: 1, paused: true },
        { expression: "true", action: "bypass", products: ["hot"] },
      ],
    });
    expect(rules.map((rule) => [rule["action"], rule["expression"], rule["enabled"]])).toEqual([
      ["skip", 'http.host eq "two"', false],
      ["skip", 'http.host eq "one"', true],
      ["execute", "true", true],
      ["execute", "true", true],
    ]);
    expect(rules[1]).toMatchObject({ description: "ours", action_parameters: { ruleset: "current" }, id: "", ref: "" });
  });

  it.each([
    ["Disable Security", { disable_security: true }],
    ["Web Application Firewall Off", { waf: "off" }],
  ] as const)("has a skip rule for a page rule %s", (name, action) => {
    const [skip] = derived({ page_rules: [{ url: "saas.net/img/*", ...action }] });
    expect(skip).toMatchObject({
      action: "skip",
      expression: 'http.request.full_uri wildcard "http*://saas.net/img/*"',
      description: `Page Rule saas.net/img/*: ${name}`,
      action_parameters: { ruleset: "current" },
      enabled: true,
    });
  });

  it("excludes from a page rule Off what an earlier page rule On covers", () => {
    const page_rules = [
      { url: "saas.net/img/safe*", waf: "on" },
      { url: "saas.net/img/*", waf: "off" },
    ] as const;
    expect(derived({ page_rules }).map((rule) => rule["expression"])).toEqual([
      '(http.request.full_uri wildcard "http*://saas.net/img/*") and not (http.request.full_uri wildcard "http*://saas.net/img/safe*")',
      "true",
      "true",
    ]);
  });

  it("runs the rules only where a page rule says On, if the WAF is off", () => {
    const waf: SeedWaf = { enabled: false, page_rules: [{ url: "https://saas.net/admin*", waf: "on" }] };
    expect(derived(waf).map((rule) => [rule["expression"], rule["enabled"]])).toEqual([
      ['http.request.full_uri wildcard "https://saas.net/admin*"', true],
      ['http.request.full_uri wildcard "https://saas.net/admin*"', true],
    ]);
    expect(derived({ enabled: false }).map((rule) => rule["enabled"])).toEqual([false, false]);
  });

  it("has a disabled rule for a page rule that is not active, which affects no other", () => {
    const page_rules = [
      { url: "saas.net/a*", waf: "on", status: "disabled" },
      { url: "saas.net/b*", waf: "off", status: "disabled" },
    ] as const;
    expect(derived({ page_rules })[0]).toMatchObject({
      enabled: false,
      expression: 'http.request.full_uri wildcard "http*://saas.net/b*"',
    });
  });

  it("exists with URI-based overrides, but not for a zone that only support can migrate", () => {
    expect(world({ waf: { uri_overrides: [{ urls: ["a"] }] } }).zone("GET", CONFIG).status).toBe(200);
    const refused = world({ waf: { firewall_rules: bypasses(201) } }).zone("GET", CONFIG);
    expect(refused.status).toBe(400);
    expect(text(refused, "errors.0.message")).toContain("exceeds 200");
  });
});
