import { describe, expect, it } from "vitest";
import { at, type Answer, type Json, text, world } from "../../support/emulator.ts";

const CUSTOM = "http_request_firewall_custom";

function put(phase: string, rule: { [key: string]: Json }): Answer {
  return world().zone("PUT", `/rulesets/phases/${phase}/entrypoint`, { rules: [rule] });
}

function block(expression: string): Answer {
  return put(CUSTOM, { action: "block", expression });
}

describe("an expression is refused", () => {
  it.each([
    ["with an operator that does not exist", "ip.src ==== 1"],
    ["with an open bracket", '(http.host eq "a.net"'],
    ["with an open quote", 'http.host eq "a.net'],
    ["with an unknown field", 'nope.field eq "x"'],
    ["with a misspelt field", 'http.request.uri.paht eq "/"'],
    ["with an unknown function", "frobnicate(http.host)"],
    ["with a literal of another type", "http.host eq 5"],
    ["with an address that is none", "ip.src eq 300.1.1.1"],
    ["with a broken regular expression", 'http.host matches "("'],
    ["with two operators in a row", "ssl and and ssl"],
    ["with a field of the response, in a phase of the request", "http.response.code eq 200"],
    ["if it is no condition", "http.host"],
    ["if it is blank", "  "],
    ["with more than 4,096 bytes", `http.host eq "${"x".repeat(4096)}"`],
  ])("%s", (_what, expression) => {
    const refused = block(expression);
    expect([refused.status, at(refused, "errors.0.source.pointer")]).toEqual([400, "/rules/0/expression"]);
    expect(text(refused, "errors.0.message")).toContain("is not a valid value for expression because ");
  });

  it("in the layout of the service: line and column, the line, and a mark under the place", () => {
    const expression = 'http.host eq "a.net" and\n  nope.field eq "x"';
    const lines = [
      "could not parse filter expression: Filter parsing error (2:3):",
      '  nope.field eq "x"',
      '  ^^^^^^^^^^ unknown field "nope.field"',
    ].join("\n");
    expect(text(block(expression), "errors.0.message")).toBe(
      `'${expression}' is not a valid value for expression because ${lines}`,
    );
    const blank = block("");
    expect([at(blank, "errors.0.code"), text(blank, "errors.0.message")]).toEqual([
      20125,
      "'' is not a valid value for expression because the expression cannot be blank",
    ]);
  });

  it("also where it counts requests, or computes a value", () => {
    const broken = "http.request.uri.path ==";
    const ratelimit = { characteristics: ["ip.src"], period: 60, requests_per_period: 9, counting_expression: broken };
    const counted = put("http_ratelimit", { action: "block", expression: "true", ratelimit });
    expect(at(counted, "errors.0.source.pointer")).toBe("/rules/0/ratelimit/counting_expression");
    const uri = { path: { expression: "concat(" } };
    const computed = put("http_request_transform", {
      action: "rewrite",
      expression: "true",
      action_parameters: { uri },
    });
    expect(at(computed, "errors.0.source.pointer")).toBe("/rules/0/action_parameters/uri/path/expression");
  });

  it("by a dry run too, and by a call for one rule", () => {
    const { zone } = world();
    const path = `/rulesets/phases/${CUSTOM}/entrypoint`;
    expect(zone("PUT", `${path}?dry_run=true`, { rules: [{ action: "log", expression: "ssl eq" }] }).status).toBe(400);
    const id = text(zone("PUT", path, { rules: [] }), "result.id");
    expect(zone("POST", `/rulesets/${id}/rules`, { action: "log", expression: "ssl eq" }).status).toBe(400);
  });
});

it.each([
  "true",
  'http.host eq "a.net" and not ssl',
  'any(http.request.headers["x-a"][*] contains "b")',
  'http.request.uri.path matches r"^/api/\\d+"',
  "ip.src in {192.0.2.0/24 2001:db8::/32} or cf.threat_score ge 10",
  'lower(http.host) wildcard "*.a.net" xor ip.geoip.country in {"NL" "DE"}',
])("the expression %s is accepted", (expression) => {
  expect(block(expression).status).toBe(200);
});

it("an expression is checked alone by filters/validate-expr, whose error is that of the parser", () => {
  const { call } = world();
  expect(call("POST", "/filters/validate-expr", { expression: "ssl" }).status).toBe(200);
  const refused = call("POST", "/filters/validate-expr", { expression: "ssl eq" });
  expect(refused.status).toBe(400);
  expect(text(refused, "errors.0.message")).toMatch(/^Filter parsing error \(1:\d+\):\nssl eq\n/);
});
