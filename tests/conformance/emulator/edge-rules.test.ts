import { describe, expect, it } from "vitest";
import { at, type Json, text, world } from "../../support/emulator.ts";

const ENTRY = "/rulesets/phases/http_request_firewall_custom/entrypoint";
const HOST = "shop.customer.com";

type Rule = { [key: string]: Json };

/** A zone with an active hostname and these custom rules. */
function ruled(...rules: Rule[]): ReturnType<typeof world> {
  const made = world({
    fallback_origin: "fallback.saas.net",
    custom_hostnames: [{ hostname: HOST, custom_metadata: { tier: "gold" } }],
  });
  const put = made.zone("PUT", ENTRY, { rules });
  if (put.status !== 200) throw new Error(JSON.stringify(put.body));
  return made;
}

const admin: Rule = { ref: "admin", action: "block", expression: 'starts_with(http.request.uri.path, "/admin")' };

describe("a custom rule", () => {
  it("blocks what it matches, and lets everything else through", () => {
    const { edge } = ruled(admin);
    expect(edge.request(HOST, "/admin/users")).toMatchObject({ status: 403, cause: "rule", origin: null });
    expect(edge.request(HOST, "/admin").rule?.rule["ref"]).toBe("admin");
    expect(edge.request(HOST, "/shop")).toMatchObject({ status: 200, cause: null, origin: "fallback.saas.net" });
  });

  it("is let through by a skip ahead of it, and not by one behind it", () => {
    const office = { action: "skip", expression: "ip.src eq 192.0.2.7", action_parameters: { ruleset: "current" } };
    const visitor = { address: "192.0.2.7" };
    expect(ruled(office, admin).edge.request(HOST, "/admin", visitor).status).toBe(200);
    expect(ruled(office, admin).edge.request(HOST, "/admin").status).toBe(403);
    expect(ruled(admin, office).edge.request(HOST, "/admin", visitor).status).toBe(403);
  });

  it("that is disabled, or only logs, stops nothing", () => {
    expect(
      ruled({ ...admin, enabled: false }, { action: "log", expression: "true" }).edge.request(HOST, "/admin").status,
    ).toBe(200);
  });

  it("answers with its own response", () => {
    const response = { status_code: 451, content: "no", content_type: "text/plain" };
    expect(ruled({ ...admin, action_parameters: { response } }).edge.request(HOST, "/admin")).toMatchObject({
      status: 451,
      body: "no",
    });
  });

  it.each(["challenge", "js_challenge", "managed_challenge"])("challenges the visitor: %s", (action) => {
    expect(ruled({ ...admin, action }).edge.request(HOST, "/admin")).toMatchObject({ status: 403, cause: "rule" });
  });

  it.each<[string, string, object]>([
    ["the method", 'http.request.method eq "POST"', { method: "POST" }],
    ["a header", 'any(http.request.headers["x-key"][*] eq "1")', { headers: [["X-Key", "1"]] }],
    ["the address", "ip.src in {192.0.2.0/24}", { address: "192.0.2.1" }],
    ["the query", 'http.request.uri.query contains "a=1"', {}],
    ["the zone and its subscription", 'cf.zone.name eq "saas.net" and cf.zone.plan eq "ENT"', {}],
    ["the metadata of the hostname", 'lookup_json_string(cf.hostname.metadata, "tier") eq "gold"', {}],
  ])("knows %s", (_what, expression, visitor) => {
    expect(ruled({ action: "block", expression }).edge.request(HOST, "/?a=1", visitor).status).toBe(403);
  });

  it("works for names of the zone itself too", () => {
    expect(ruled(admin).edge.request("fallback.saas.net", "/admin").status).toBe(403);
  });

  it("runs the rules of a ruleset that it executes, unless a skip names them", () => {
    const made = ruled();
    const body = { name: "shared", kind: "custom", phase: "http_request_firewall_custom", rules: [admin] };
    const shared = made.zone("POST", "/rulesets", body);
    const [id, rule] = [text(shared, "result.id"), text(shared, "result.rules.0.id")];
    const execute = { action: "execute", expression: "true", action_parameters: { id } };
    const statusAfter = (...skips: Rule[]): number => {
      made.zone("PUT", ENTRY, { rules: [...skips, execute] });
      return made.edge.request(HOST, "/admin").status;
    };
    const skip = (parameters: Json): Rule => ({ action: "skip", expression: "true", action_parameters: parameters });
    expect(statusAfter()).toBe(403);
    expect(statusAfter(skip({ rulesets: [id] }))).toBe(200);
    expect(statusAfter(skip({ rules: { [id]: [rule] } }))).toBe(200);
    expect(statusAfter(skip({ phase: "current" }))).toBe(200);
  });

  it("of the account runs ahead of those of the zone, and its skip does not reach them", () => {
    const made = ruled(admin);
    const [account = ""] = made.service.core.store.accounts.keys();
    const put = (...rules: Rule[]): number => made.call("PUT", `/accounts/${account}${ENTRY}`, { rules }).status;
    expect(put({ action: "block", expression: 'http.request.uri.path eq "/shop"' })).toBe(200);
    expect(made.edge.request(HOST, "/shop").status).toBe(403);
    expect(put({ action: "skip", expression: "true", action_parameters: { ruleset: "current" } })).toBe(200);
    expect(made.edge.request(HOST, "/admin").status).toBe(403);
  });

  it("asks lists of the account", () => {
    const made = ruled();
    const [account = ""] = made.service.core.store.accounts.keys();
    const lists = `/accounts/${account}/rules/lists`;
    const listed = (name: string, kind: string, items: Json): void => {
      const list = text(made.call("POST", lists, { name, kind }), "result.id");
      made.call("POST", `${lists}/${list}/items`, items);
      made.wait(1);
    };
    listed("office", "ip", [{ ip: "192.0.2.0/28" }, { ip: "2001:db8::1" }]);
    listed("shops", "hostname", [{ hostname: { url_hostname: "*.customer.com" } }]);
    made.zone("PUT", ENTRY, { rules: [{ action: "block", expression: "ip.src in $office and http.host in $shops" }] });
    const status = (address: string): number => made.edge.request(HOST, "/", { address }).status;
    expect([status("192.0.2.15"), status("2001:db8::1"), status("192.0.2.16")]).toEqual([403, 403, 200]);
  });

  it("is no business of the managed rules and of rate limits, which the edge does not run", () => {
    const made = ruled();
    const limit = { characteristics: ["ip.src"], period: 60, requests_per_period: 1 };
    const rules = [{ action: "block", expression: "true", ratelimit: limit }];
    made.zone("PUT", "/rulesets/phases/http_ratelimit/entrypoint", { rules });
    expect([1, 2, 3].map(() => made.edge.request(HOST).status)).toEqual([200, 200, 200]);
  });
});

it("the admin API shows the rule that stopped a visitor", () => {
  const { service } = ruled(admin);
  const visit = (query: string): Json => {
    const answer = service.handle({ method: "GET", path: "/_admin/edge", query: new URLSearchParams(query) });
    return JSON.parse(answer.body);
  };
  const shown = visit(`host=${HOST}&path=/admin&method=POST&ip=192.0.2.1&header=X-A:%20b`);
  expect(at(shown, "result")).toMatchObject({ status: 403, cause: "rule", rule: { ref: "admin", action: "block" } });
  expect(at(visit(`host=${HOST}`), "result.rule")).toBeNull();
  expect(at(visit(`host=${HOST}&ip=nobody`), "success")).toBe(false);
});
