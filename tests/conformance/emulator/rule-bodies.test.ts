import { describe, expect, it } from "vitest";
import { managedRulesets } from "../../../lib/emulator/rulesets/managed.ts";
import { MANAGED_RULESETS } from "../../../lib/kinds/ruleset/managed.ts";
import { at, code, text, world, type Answer, type Json } from "../../support/emulator.ts";

const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";
const DDOS = "4d21379b4f9f4bb088e0729962c8b3cf";
const CUSTOM = "http_request_firewall_custom";
const THRESHOLD = "6179ae15870a4bb7b2d480d4843b323c";

type Body = { [key: string]: Json };

/** Puts one rule into the entry point of a phase. */
function put(phase: string, rule: Body, zone = world().zone): Answer {
  return zone("PUT", `/rulesets/phases/${phase}/entrypoint`, { rules: [{ expression: "true", ...rule }] });
}

/** Where the service points in its refusal, below the rule; "accepted" for a rule that it takes. */
function pointer(answer: Answer): string {
  if (answer.status === 200) return "accepted";
  return [answer.status, text(answer, "errors.0.source.pointer").replace("/rules/0", "")].join(" ");
}

describe("the body of a rule is refused with", () => {
  const limit = { characteristics: ["ip.src", "cf.colo.id"], period: 60, requests_per_period: 100 };
  const response = { status_code: 403, content: "no", content_type: "text/plain" };

  it.each<[string, string, Body, string]>([
    ["an unknown key", CUSTOM, { action: "block", acton: "x" }, "/acton"],
    ["an unknown action", CUSTOM, { action: "explode" }, "/action"],
    ["an action of another phase", "http_request_dynamic_redirect", { action: "block" }, "/action"],
    ["a rate limit in another phase", CUSTOM, { action: "block", ratelimit: limit }, "/ratelimit"],
    ["no rate limit in its phase", "http_ratelimit", { action: "block" }, "/ratelimit"],
    [
      "a rate limit that counts nothing",
      "http_ratelimit",
      { action: "block", ratelimit: { period: 60 } },
      "/ratelimit/characteristics",
    ],
    [
      "an unknown key of the rate limit",
      "http_ratelimit",
      { action: "block", ratelimit: { ...limit, x: 1 } },
      "/ratelimit/x",
    ],
    ["a description of 501 characters", CUSTOM, { action: "log", description: "x".repeat(501) }, "/description"],
    [
      "an expression of 4,097 characters",
      CUSTOM,
      { action: "log", expression: `http.host eq "${"x".repeat(4082)}"` },
      "/expression",
    ],
    [
      "an unknown parameter",
      CUSTOM,
      { action: "block", action_parameters: { respond: response } },
      "/action_parameters/respond",
    ],
    [
      "a parameter of another action",
      CUSTOM,
      { action: "log", action_parameters: { response } },
      "/action_parameters/response",
    ],
    [
      "status 200 for a block",
      CUSTOM,
      { action: "block", action_parameters: { response: { ...response, status_code: 200 } } },
      "/action_parameters/response/status_code",
    ],
    [
      "half a response",
      CUSTOM,
      { action: "block", action_parameters: { response: { status_code: 403 } } },
      "/action_parameters/response/content",
    ],
    ["a rewrite without parameters", "http_request_transform", { action: "rewrite" }, "/action_parameters"],
    [
      "a rewrite of nothing",
      "http_request_transform",
      { action: "rewrite", action_parameters: {} },
      "/action_parameters",
    ],
    [
      "a path that is a value and an expression",
      "http_request_transform",
      { action: "rewrite", action_parameters: { uri: { path: { value: "/", expression: "http.host" } } } },
      "/action_parameters/uri/path",
    ],
    [
      "a header that is set to nothing",
      "http_request_late_transform",
      { action: "rewrite", action_parameters: { headers: { "X-A": { operation: "set" } } } },
      "/action_parameters/headers/X-A",
    ],
    [
      "a redirect from a list, for a single redirect",
      "http_request_dynamic_redirect",
      { action: "redirect", action_parameters: { from_list: { name: "a", key: "http.host" } } },
      "/action_parameters/from_list",
    ],
    [
      "a status that redirects nobody",
      "http_request_dynamic_redirect",
      {
        action: "redirect",
        action_parameters: { from_value: { status_code: 200, target_url: { value: "https://a.dev" } } },
      },
      "/action_parameters/from_value/status_code",
    ],
    [
      "an unknown setting",
      "http_config_settings",
      { action: "set_config", action_parameters: { waf: false } },
      "/action_parameters/waf",
    ],
    [
      "a port out of range",
      "http_request_origin",
      { action: "route", action_parameters: { origin: { port: 70_000 } } },
      "/action_parameters/origin/port",
    ],
    [
      "an unknown product to skip",
      CUSTOM,
      { action: "skip", action_parameters: { products: ["firewall"] } },
      "/action_parameters/products/0",
    ],
    ["a skip of nothing", CUSTOM, { action: "skip", action_parameters: {} }, "/action_parameters"],
    [
      "a skip of this ruleset and of others",
      CUSTOM,
      { action: "skip", action_parameters: { ruleset: "current", rulesets: [MANAGED] } },
      "/action_parameters",
    ],
  ])("%s", (_what, phase, rule, place) => {
    expect(pointer(put(phase, rule))).toBe(`400 ${place}`);
  });

  it("the service's words for an unknown key, and for a value", () => {
    expect(text(put(CUSTOM, { action: "log", acton: "x" }), "errors.0.message")).toBe(
      'invalid JSON: unknown field "acton"',
    );
    const refused = put("http_request_dynamic_redirect", { action: "block" });
    expect(text(refused, "errors.0.message")).toBe(
      "'block' is not a valid value for action because it is not allowed in the phase http_request_dynamic_redirect",
    );
  });
});

describe("the body of a rule is accepted with", () => {
  it.each<[string, string, Body]>([
    [
      "a response of its own",
      CUSTOM,
      {
        action: "block",
        action_parameters: { response: { status_code: 418, content: "<b>", content_type: "text/html" } },
      },
    ],
    [
      "a path and a query",
      "http_request_transform",
      { action: "rewrite", action_parameters: { uri: { path: { value: "/" }, query: { value: "" } } } },
    ],
    [
      "headers",
      "http_response_headers_transform",
      {
        action: "rewrite",
        action_parameters: { headers: { "X-A": { operation: "remove" }, "X-B": { operation: "add", value: "b" } } },
      },
    ],
    [
      "a target",
      "http_request_dynamic_redirect",
      {
        action: "redirect",
        action_parameters: {
          from_value: {
            status_code: 301,
            preserve_query_string: true,
            target_url: { expression: 'concat("https://", http.host)' },
          },
        },
      },
    ],
    [
      "an origin",
      "http_request_origin",
      {
        action: "route",
        action_parameters: { host_header: "a.dev", origin: { host: "a.dev", port: 8443 }, sni: { value: "a.dev" } },
      },
    ],
    [
      "cache settings",
      "http_request_cache_settings",
      {
        action: "set_cache_settings",
        action_parameters: {
          cache: true,
          edge_ttl: { mode: "override_origin", default: 60, status_code_ttl: [{ status_code: 404, value: 0 }] },
          cache_key: { custom_key: { query_string: { exclude: { all: true } } } },
        },
      },
    ],
    [
      "cache directives",
      "http_response_cache_settings",
      { action: "set_cache_control", action_parameters: { "max-age": { operation: "set", value: 60 } } },
    ],
    [
      "settings",
      "http_config_settings",
      { action: "set_config", action_parameters: { security_level: "high", bic: true } },
    ],
    [
      "an error page",
      "http_custom_errors",
      { action: "serve_error", action_parameters: { content: "gone", content_type: "text/plain", status_code: 503 } },
    ],
    [
      "algorithms",
      "http_response_compression",
      { action: "compress_response", action_parameters: { algorithms: [{ name: "zstd" }, { name: "auto" }] } },
    ],
    [
      "log fields",
      "http_log_custom_fields",
      { action: "log_custom_field", action_parameters: { request_fields: [{ name: "x-tenant" }] } },
    ],
    [
      "rules to skip",
      "http_request_firewall_managed",
      { action: "skip", action_parameters: { rules: { [MANAGED]: [THRESHOLD] }, rulesets: [OWASP] } },
    ],
    [
      "checked credentials",
      CUSTOM,
      {
        action: "log",
        exposed_credential_check: { username_expression: "http.host", password_expression: "http.host" },
      },
    ],
  ])("%s", (_what, phase, rule) => {
    expect(pointer(put(phase, rule))).toBe("accepted");
  });

  it("a rate limit, which is answered with the service's defaults", () => {
    const ratelimit = { characteristics: ["ip.src", "cf.colo.id"], period: 60, requests_per_period: 100 };
    const answer = put("http_ratelimit", { action: "block", ratelimit });
    const filled = { ...ratelimit, mitigation_timeout: 0, requests_to_origin: false };
    expect(at(answer, "result.rules.0.ratelimit")).toEqual(filled);
    const own = put("http_ratelimit", { action: "block", ratelimit: { ...ratelimit, mitigation_timeout: 600 } });
    expect(at(own, "result.rules.0.ratelimit.mitigation_timeout")).toBe(600);
  });
});

describe("an override is refused with", () => {
  function override(id: string, overrides: Json): Answer {
    const phase = id === DDOS ? "ddos_l7" : "http_request_firewall_managed";
    return put(phase, { action: "execute", action_parameters: { id, overrides } });
  }

  it.each<[string, string, Json, string]>([
    [
      "a rule that the ruleset does not have",
      MANAGED,
      { rules: [{ id: "0".repeat(32), action: "log" }] },
      "/rules/0/id",
    ],
    ["a rule of another ruleset", MANAGED, { rules: [{ id: THRESHOLD, action: "log" }] }, "/rules/0/id"],
    [
      "a category that the ruleset does not have",
      MANAGED,
      { categories: [{ category: "nonsense", enabled: false }] },
      "/categories/0/category",
    ],
    ["an action that no rule can have", MANAGED, { action: "frobnicate" }, "/action"],
    [
      "an action that only DDoS rules have",
      MANAGED,
      { categories: [{ category: "wordpress", action: "ddos_dynamic" }] },
      "/categories/0/action",
    ],
    ["a sensitivity outside of DDoS", OWASP, { sensitivity_level: "low" }, "/sensitivity_level"],
    ["an unknown sensitivity", DDOS, { sensitivity_level: "high" }, "/sensitivity_level"],
    [
      "a threshold for a rule without one",
      MANAGED,
      { rules: [{ id: "5de7edfa648c4d6891dc3e7f84534ffa", score_threshold: 1 }] },
      "/rules/0/score_threshold",
    ],
    ["a status that is no boolean", MANAGED, { enabled: "on" }, "/enabled"],
    ["an unknown key", MANAGED, { status: "enabled" }, "/status"],
    ["an empty list", MANAGED, { categories: [] }, "/categories"],
  ])("%s", (_what, id, overrides, place) => {
    expect(pointer(override(id, overrides))).toBe(`400 /action_parameters/overrides${place}`);
  });

  it("nothing, if rule, category, action, sensitivity and status fit the ruleset", () => {
    const managed = {
      action: "log",
      categories: [{ category: "wordpress", action: "block", enabled: true }],
      rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", enabled: true }],
    };
    expect(pointer(override(MANAGED, managed))).toBe("accepted");
    const levels = [3, 4].map((level) => ({ category: `paranoia-level-${level}`, enabled: false }));
    const rules = [{ id: THRESHOLD, action: "managed_challenge", score_threshold: 60 }];
    expect(pointer(override(OWASP, { categories: levels, rules }))).toBe("accepted");
    const flood = [{ id: "fdfdac75430c4c47a959592f0aa5e68a", sensitivity_level: "low" }];
    expect(pointer(override(DDOS, { action: "block", rules: flood }))).toBe("accepted");
  });
});

describe("a managed ruleset", () => {
  it("is read with its rules, each with categories, action and status, and without its expression", () => {
    const { zone, call, service } = world();
    const account = [...service.core.store.accounts.keys()][0] ?? "";
    const read = zone("GET", `/rulesets/${MANAGED}`);
    const rules = at(read, "result.rules");
    const found = Array.isArray(rules) ? rules : [];
    expect(found.length).toBeGreaterThan(10);
    expect(found[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      action: "block",
      categories: ["sqli"],
      enabled: true,
      version: "1",
    });
    expect(found.some((rule) => at(rule, "expression") !== undefined)).toBe(false);
    expect(new Set(found.map((rule) => at(rule, "id"))).size).toBe(found.length);
    expect(at(call("GET", `/accounts/${account}/rulesets/${MANAGED}`), "result.rules")).toEqual(rules);
    expect(at(zone("GET", `/rulesets/${MANAGED}/versions`), "result.0.version")).toBe("1");
    expect(at(zone("GET", `/rulesets/${MANAGED}/versions/1`), "result.rules")).toEqual(rules);
  });

  it("is read by tag, below the account", () => {
    const { call, service } = world();
    const account = [...service.core.store.accounts.keys()][0] ?? "";
    const tagged = call("GET", `/accounts/${account}/rulesets/${OWASP}/versions/1/by_tag/paranoia-level-4`);
    expect(at(tagged, "result.rules.0.categories")).toEqual(["attack-protocol", "paranoia-level-4"]);
    expect(at(tagged, "result.rules.1")).toBeUndefined();
    expect(code(call("GET", `/accounts/${account}/rulesets/${OWASP}/versions/9/by_tag/wordpress`))).toBe(10003);
  });
});

it("the managed rulesets are those that a configuration can name", () => {
  expect(managedRulesets().map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(MANAGED_RULESETS)));
  expect(managedRulesets()).toHaveLength(Object.keys(MANAGED_RULESETS).length);
});
