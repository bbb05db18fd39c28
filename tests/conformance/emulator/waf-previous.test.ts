import { describe, expect, it } from "vitest";
import { parseSeed } from "../../../lib/emulator.ts";
import { at, code, text, world, ZONE_ID, type Answer, type World } from "../../support/emulator.ts";

const WAF = "/firewall/waf";
const SERVICE = "1e334934fd7ae32ad705667f8c1057aa";
const OWASP = "c504870194831cd12c3fc0284f294abb";
const WORDPRESS = "de677e5818985db1285d0e80225f06e5";

function column(answer: Answer, name: string): unknown[] {
  const result = at(answer, "result");
  return Array.isArray(result) ? result.map((item) => at(item, name)) : [];
}

function group(made: World, pack: string, id: string): Answer {
  return made.zone("GET", `${WAF}/packages/${pack}/groups/${id}`);
}

describe("packages of the previous managed rules", () => {
  it("are traditional or anomaly ones, and only the latter have sensitivity and action", () => {
    const { zone } = world();
    const list = zone("GET", `${WAF}/packages`);
    expect(column(list, "id")).toEqual([SERVICE, OWASP]);
    expect(column(list, "detection_mode")).toEqual(["traditional", "anomaly"]);
    expect(column(list, "action_mode")).toEqual([undefined, "challenge"]);
    expect(column(list, "sensitivity")).toEqual([undefined, undefined]);
    expect(at(zone("GET", `${WAF}/packages/${OWASP}`), "result")).toMatchObject({
      name: "OWASP ModSecurity Core Rule Set",
      zone_id: ZONE_ID,
      description: expect.stringContaining("2.x"),
    });
  });

  it("keep what a PATCH sets, and do not touch the rest", () => {
    const { zone } = world();
    const path = `${WAF}/packages/${OWASP}`;
    expect(at(zone("PATCH", path, { sensitivity: "low" }), "result")).toMatchObject({
      sensitivity: "low",
      action_mode: "challenge",
    });
    zone("PATCH", path, { action_mode: "simulate" });
    expect(at(zone("GET", path), "result")).toMatchObject({ sensitivity: "low", action_mode: "simulate" });
    expect(zone("PATCH", path, { sensitivity: "extreme" }).status).toBe(400);
    expect(zone("PATCH", path, {}).status).toBe(400);
  });

  it("refuse a PATCH of a traditional one with 1027, and an unknown one with 404", () => {
    const { zone } = world();
    const refused = zone("PATCH", `${WAF}/packages/${SERVICE}`, { sensitivity: "high" });
    expect([refused.status, code(refused)]).toEqual([400, 1027]);
    expect(zone("GET", `${WAF}/packages/${"0".repeat(32)}`).status).toBe(404);
  });

  it("can be filtered by name, by any or all, ordered and paged from 5 to 100", () => {
    const { zone } = world();
    const names = (query: string): unknown[] => column(zone("GET", `${WAF}/packages?${query}`), "name");
    expect(names("name=CloudFlare")).toEqual(["CloudFlare"]);
    expect(names("name=CloudFlare&detection_mode=anomaly")).toEqual([]);
    expect(names("name=CloudFlare&detection_mode=anomaly&match=any")).toHaveLength(2);
    expect(names("order=name&direction=desc")).toEqual(["OWASP ModSecurity Core Rule Set", "CloudFlare"]);
    expect(at(zone("GET", `${WAF}/packages?per_page=5&page=2`), "result_info")).toMatchObject({
      page: 2,
      per_page: 5,
      count: 0,
      total_count: 2,
    });
    expect(zone("GET", `${WAF}/packages?per_page=4`).status).toBe(400);
    expect(zone("GET", `${WAF}/packages?per_page=101`).status).toBe(400);
  });
});

describe("groups and rules of the previous managed rules", () => {
  it("turn on and off, and count the changed rules", () => {
    const made = world();
    const path = `${WAF}/packages/${SERVICE}/groups/${WORDPRESS}`;
    expect(at(group(made, SERVICE, WORDPRESS), "result")).toMatchObject({
      mode: "on",
      allowed_modes: ["on", "off"],
      rules_count: 2,
      modified_rules_count: 0,
      package_id: SERVICE,
    });
    expect(at(made.zone("PATCH", path, { mode: "off" }), "result.mode")).toBe("off");
    expect(column(made.zone("GET", `${WAF}/packages/${SERVICE}/groups?mode=off`), "id")).toEqual([WORDPRESS]);
    made.zone("PATCH", `${WAF}/packages/${SERVICE}/rules/WP0001`, { mode: "simulate" });
    expect(at(group(made, SERVICE, WORDPRESS), "result.modified_rules_count")).toBe(1);
    expect(at(made.zone("PATCH", path, { mode: "on" }), "result.mode")).toBe("on");
    expect(made.zone("PATCH", path, { mode: "default" }).status).toBe(400);
    expect(group(made, OWASP, WORDPRESS).status).toBe(404);
  });

  it("have the modes of their package", () => {
    const { zone } = world();
    const traditional = zone("GET", `${WAF}/packages/${SERVICE}/rules/100000`);
    expect(at(traditional, "result")).toMatchObject({
      mode: "default",
      default_mode: "challenge",
      allowed_modes: ["default", "disable", "simulate", "block", "challenge"],
      group: { name: "Cloudflare Specials" },
    });
    const anomaly = zone("GET", `${WAF}/packages/${OWASP}/rules/981176`);
    expect(at(anomaly, "result")).toMatchObject({ mode: "on", allowed_modes: ["on", "off"] });
    expect(at(anomaly, "result.default_mode")).toBeUndefined();
    expect(zone("PATCH", `${WAF}/packages/${OWASP}/rules/981176`, { mode: "block" }).status).toBe(400);
    expect(at(zone("PATCH", `${WAF}/packages/${OWASP}/rules/981176`, { mode: "off" }), "result.mode")).toBe("off");
  });

  it.each([
    ["DIS", "disable"],
    ["CHL", "challenge"],
    ["BLK", "block"],
    ["SIM", "simulate"],
  ])("are found by the mode %s", (filter, mode) => {
    const { zone } = world();
    zone("PATCH", `${WAF}/packages/${SERVICE}/rules/PHP0001`, { mode });
    const found = zone("GET", `${WAF}/packages/${SERVICE}/rules?mode=${filter}&group_id=&match=any`);
    expect(column(found, "id")).toEqual(["PHP0001"]);
  });
});

describe("URI-based overrides", () => {
  const body = { urls: ["saas.net/api*"], rules: { "100015": "disable" }, rewrite_action: { block: "simulate" } };

  it("can be created, read, replaced, listed and deleted", () => {
    const { zone } = world();
    const path = `${WAF}/overrides/${text(zone("POST", `${WAF}/overrides`, body), "result.id")}`;
    expect(at(zone("GET", path), "result")).toMatchObject({ ...body, paused: false, priority: null });
    expect(at(zone("PUT", path, { urls: ["saas.net/b*"], paused: true }), "result")).toMatchObject({
      urls: ["saas.net/b*"],
      paused: true,
      rules: {},
    });
    expect(column(zone("GET", `${WAF}/overrides`), "urls")).toEqual([["saas.net/b*"]]);
    expect(zone("DELETE", path).status).toBe(200);
    expect(zone("DELETE", path).status).toBe(404);
    expect(zone("POST", `${WAF}/overrides`, { urls: [] }).status).toBe(400);
  });

  it("are already gone as published, while packages are not", () => {
    const { zone } = world({ waf: { uri_overrides: [{ id: "a", ...body }] } }, { behaviour: "public" });
    expect(zone("GET", `${WAF}/overrides`).status).toBe(410);
    expect(zone("DELETE", `${WAF}/overrides/a`).status).toBe(410);
    expect(zone("GET", `${WAF}/packages`).status).toBe(200);
  });
});

describe("what else turns the previous managed rules on and off", () => {
  it("firewall rules that bypass products", () => {
    const { zone } = world();
    const rule = { filter: { expression: 'http.host eq "a.saas.net"' }, action: "bypass", products: ["waf"] };
    const made = zone("POST", "/firewall/rules", [rule, { ...rule, action: "block", products: [] }]);
    expect(column(made, "products")).toEqual([["waf"], undefined]);
    const path = `/firewall/rules/${text(made, "result.0.id")}`;
    expect(at(zone("PUT", path, { paused: true }), "result")).toMatchObject({ paused: true, action: "bypass" });
    expect(at(zone("PATCH", path, { paused: false }), "result")).toMatchObject([{ paused: false, action: "bypass" }]);
    expect(column(zone("GET", "/firewall/rules?action=bypass"), "id")).toEqual([text(made, "result.0.id")]);
    expect(zone("POST", "/firewall/rules", [rule, { ...rule, products: [] }]).status).toBe(400);
    expect(at(zone("GET", "/firewall/rules"), "result_info.total_count")).toBe(2);
    expect(zone("DELETE", path).status).toBe(200);
    expect(zone("GET", path).status).toBe(404);
  });

  it("page rules, the highest priority first", () => {
    const { zone } = world({ waf: { page_rules: [{ url: "saas.net/first", waf: "off" }] } });
    const targets = [{ target: "url", constraint: { operator: "matches", value: "saas.net/a*" } }];
    const made = zone("POST", "/pagerules", { targets, actions: [{ id: "disable_security" }], status: "active" });
    expect(column(zone("GET", "/pagerules"), "targets.0.constraint.value")).toEqual(["saas.net/a*", "saas.net/first"]);
    const path = `/pagerules/${text(made, "result.id")}`;
    expect(at(zone("PATCH", path, { status: "disabled" }), "result")).toMatchObject({ targets, status: "disabled" });
    expect(column(zone("GET", "/pagerules?status=active"), "actions")).toEqual([[{ id: "waf", value: "off" }]]);
    expect(zone("PATCH", path, { actions: [{ id: "waf", value: "maybe" }] }).status).toBe(400);
    expect(zone("DELETE", path).status).toBe(200);
    expect(zone("GET", path).status).toBe(404);
  });

  it("the zone setting waf", () => {
    const { zone } = world();
    expect(at(zone("GET", "/settings/waf"), "result.value")).toBe("on");
    expect(at(zone("PATCH", "/settings/waf", { value: "off" }), "result.value")).toBe("off");
    expect(at(zone("GET", "/waf_migration/status"), "result.old_waf_status")).toBe("disabled");
    expect(zone("PATCH", "/settings/waf", { value: true }).status).toBe(400);
  });
});

describe("the managed rules of a seed", () => {
  const SEED = `
zones:
  - id: ${ZONE_ID}
    name: saas.net
    plan: business
    waf:
      owasp: { sensitivity: high, action_mode: block }
      groups: { Cloudflare Php: "off" }
      rules: { "981176": "off" }
      uri_overrides: [{ id: one, urls: [saas.net/x*] }]
      firewall_rules: [{ id: two, expression: "true", action: bypass, products: [waf] }]
      page_rules: [{ id: three, url: saas.net/y*, waf: "off" }, { url: saas.net/*, disable_security: true }]
tokens: [{ value: all }]
`;

  it("are what the API then returns", () => {
    const { zone } = world({}, { seed: parseSeed(SEED) });
    expect(at(zone("GET", `${WAF}/packages/${OWASP}`), "result")).toMatchObject({
      sensitivity: "high",
      action_mode: "block",
    });
    expect(column(zone("GET", `${WAF}/packages/${SERVICE}/groups?mode=off`), "name")).toEqual(["Cloudflare Php"]);
    expect(at(zone("GET", `${WAF}/packages/${OWASP}/rules/981176`), "result.mode")).toBe("off");
    expect(column(zone("GET", `${WAF}/overrides`), "id")).toEqual(["one"]);
    expect(column(zone("GET", "/firewall/rules"), "id")).toEqual(["two"]);
    expect(at(zone("GET", "/pagerules"), "result.0.id")).toBe("three");
  });

  it.each([
    ["a group that is not there", 'groups: { Nothing: "off" }'],
    ["a mode that the rule does not have", 'rules: { "981176": block }'],
    ["a sensitivity that is not known", "owasp: { sensitivity: extreme }"],
    ["validation on a plan below Enterprise", "migration: validation"],
    ["a misspelt member", "page_rule: []"],
  ])("are refused with %s", (_what, member) => {
    const seed = `zones: [{ id: ${ZONE_ID}, name: saas.net, plan: pro, waf: { ${member} } }]`;
    expect(() => world({}, { seed: parseSeed(seed) })).toThrow(/waf/);
  });

  it("cannot be combined with enabled new rules on a Business zone, as in the API", () => {
    const rules = [
      { action: "execute", expression: "true", action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" } },
    ];
    const rulesets = [{ phase: "http_request_firewall_managed", rules }];
    expect(() => world({ plan: "business", rulesets })).toThrow(/before the migration/);
    expect(() => world({ plan: "business", rulesets, waf: { migration: "complete" } })).not.toThrow();
    expect(() => world({ plan: "enterprise", rulesets })).not.toThrow();
  });

  it("can be set again with the admin API, and are part of a snapshot", () => {
    const made = world();
    expect(made.admin.waf.set(ZONE_ID, { owasp: { sensitivity: "off" } }).status).toBe(200);
    expect(at(made.zone("GET", `${WAF}/packages/${OWASP}`), "result.sensitivity")).toBe("off");
    const again = world({}, { snapshot: made.admin.snapshot() });
    expect(at(again.zone("GET", `${WAF}/packages/${OWASP}`), "result.sensitivity")).toBe("off");
  });
});
