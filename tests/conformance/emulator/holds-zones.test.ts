import { describe, expect, it } from "vitest";
import { at, code, hostnameBody, text, world, ZONE_ID, type Answer, type Json } from "../../support/emulator.ts";

describe("tokens with permission groups", () => {
  /** Which of the calls a token with those groups may make. */
  function allowed(permissions: readonly string[]): string[] {
    const zones = [{ id: ZONE_ID, name: "saas.net", custom_hostnames: [{ hostname: "a.customer.net" }] }];
    const { call } = world({}, { seed: { tokens: [{ value: "all", permissions }], zones } });
    const may = (method: string, path: string, body?: Json): boolean => {
      const answer = call(method, `/zones${path === "" ? "" : `/${ZONE_ID}${path}`}`, body);
      const isRefused = answer.status === 403 && code(answer) === 10000;
      return !isRefused;
    };
    const calls: Readonly<Record<string, () => boolean>> = {
      "list zones": () => may("GET", ""),
      "read hostnames": () => may("GET", "/custom_hostnames"),
      "write hostnames": () => may("POST", "/custom_hostnames", hostnameBody("b.customer.net")),
      "read packs": () => may("GET", "/ssl/certificate_packs"),
      "write Total TLS": () => may("POST", "/acm/total_tls", { enabled: true }),
      "read records": () => may("GET", "/dns_records"),
      "write records": () => may("POST", "/dns_records", { type: "A", name: "x", content: "192.0.2.1" }),
      "read rulesets": () => may("GET", "/rulesets"),
      "write rulesets": () => may("PUT", "/rulesets/phases/http_request_firewall_managed/entrypoint", { rules: [] }),
      purge: () => may("POST", "/purge_cache", { hosts: ["a.customer.net"] }),
      hold: () => may("POST", "/hold"),
    };
    return Object.keys(calls).filter((name) => calls[name]?.());
  }

  it.each([
    [["Zone Read"], ["list zones"]],
    [["SSL and Certificates Read"], ["read hostnames", "read packs"]],
    [["SSL and Certificates Write"], ["read hostnames", "write hostnames", "read packs", "write Total TLS"]],
    [["DNS Read"], ["read records"]],
    [
      ["DNS Write", "Zone Read"],
      ["list zones", "read records", "write records"],
    ],
    [["Zone WAF Read"], ["read rulesets"]],
    [["Zone WAF Write"], ["read rulesets", "write rulesets"]],
    [["Cache Purge"], ["purge"]],
    [["Zone Write"], ["list zones", "hold"]],
    [[], []],
  ])("%j may: %j", (permissions, expected) => {
    expect(allowed(permissions)).toEqual(expected);
  });

  it("may all verify themselves and ask who they are", () => {
    const { call } = world({}, { seed: { tokens: [{ value: "all", permissions: [] }] } });
    expect(call("GET", "/user/tokens/verify").status).toBe(200);
    expect(call("GET", "/user").status).toBe(200);
  });
});

describe("/user", () => {
  it("shows the owner of a key; a key cannot be verified as a token", () => {
    const { service } = world();
    const headers = { "x-auth-email": "ops@saas.net", "x-auth-key": "key" };
    const get = (path: string): Json =>
      JSON.parse(service.handle({ method: "GET", path: `/client/v4${path}`, headers }).body);
    expect(at(get("/user"), "result.email")).toBe("ops@saas.net");
    expect(at(get("/user/tokens/verify"), "errors.0.code")).toBe(10000);
  });

  it("has an address for the user of a token too, without the token in it", () => {
    expect(text(world().call("GET", "/user"), "result.email")).toMatch(/^[0-9a-f]{8}@example\.com$/);
  });
});

describe("the list of zones", () => {
  const zones = ["beta.net", "alpha.net", "gamma.org"].map((name, n) => ({
    id: String(n).repeat(32),
    name,
    plan: (["enterprise", "free", "pro"] as const)[n] ?? "free",
    account: n === 2 ? "2" : "1",
  }));
  const accounts = [
    { id: "1", name: "One" },
    { id: "2", name: "Two" },
  ];
  const made = world({}, { seed: { accounts, tokens: [{ value: "all" }], zones } });

  function names(query: string): unknown {
    const result = at(made.call("GET", `/zones?${query}`), "result");
    return Array.isArray(result) ? result.map((zone) => text(zone, "name")).join(" ") : [];
  }

  it.each([
    ["name=alpha.net", "alpha.net"],
    ["name=ALPHA.net", "alpha.net"],
    ["name=equal:alpha.net", "alpha.net"],
    ["name=not_equal:alpha.net", "beta.net gamma.org"],
    ["name=starts_with:BE", "beta.net"],
    ["name=ends_with:.net", "beta.net alpha.net"],
    ["name=contains:a", "beta.net alpha.net gamma.org"],
    ["name=contains_case_sensitive:A", ""],
    ["name=starts_with_case_sensitive:al", "alpha.net"],
    ["name=ends_with_case_sensitive:.ORG", ""],
    ["name=nonsense:a", ""],
    ["account.id=2", "gamma.org"],
    ["account.name=One", "beta.net alpha.net"],
    ["account.name=One&name=gamma.org", ""],
    ["account.name=One&name=gamma.org&match=any", "beta.net alpha.net gamma.org"],
    ["status=pending", ""],
    ["order=name", "alpha.net beta.net gamma.org"],
    ["order=name&direction=desc", "gamma.org beta.net alpha.net"],
    ["order=plan.id", "alpha.net gamma.org beta.net"],
  ])("by %s is %j", (query, expected) => {
    expect(names(query)).toBe(expected);
  });
});

describe("the list of DNS records", () => {
  const records = [
    { type: "A", name: "www.saas.net", content: "192.0.2.1", proxied: true },
    { type: "CNAME", name: "shop.saas.net", content: "www.saas.net" },
    { type: "TXT", name: "saas.net", content: "hello world" },
  ];
  const made = world({ dns_records: records });

  function names(query: string): unknown {
    const result = at(made.zone("GET", `/dns_records?${query}`), "result");
    return Array.isArray(result) ? result.map((record) => text(record, "name")).join(" ") : [];
  }

  it.each([
    ["name=www.saas.net", "www.saas.net"],
    ["name.exact=WWW.saas.net", "www.saas.net"],
    ["name.contains=s", "www.saas.net shop.saas.net saas.net"],
    ["name.startswith=sh", "shop.saas.net"],
    ["content=www.saas.net", "shop.saas.net"],
    ["content.endswith=world", "saas.net"],
    ["type=TXT", "saas.net"],
    ["proxied=true", "www.saas.net"],
    ["search=hello", "saas.net"],
    ["type=TXT&proxied=true", ""],
    ["type=TXT&proxied=true&match=any", "www.saas.net saas.net"],
    ["order=name", "saas.net shop.saas.net www.saas.net"],
    ["order=type&direction=desc", "saas.net shop.saas.net www.saas.net"],
  ])("by %s is %j", (query, expected) => {
    expect(names(query)).toBe(expected);
  });
});

describe("DNS records", () => {
  function create(record: { [key: string]: Json }, made = world()): Answer {
    return made.zone("POST", "/dns_records", record);
  }

  it("compose the content of CAA from its data", () => {
    const answer = create({ type: "CAA", name: "@", data: { flags: 0, tag: "issuewild", value: "pki.goog" } });
    expect(at(answer, "result")).toMatchObject({
      name: "saas.net",
      content: '0 issuewild "pki.goog"',
      proxiable: false,
    });
  });

  it("allow no CNAME beside an address", () => {
    const made = world();
    expect(create({ type: "A", name: "www", content: "192.0.2.1" }, made).status).toBe(200);
    expect(create({ type: "A", name: "www", content: "192.0.2.2" }, made).status).toBe(200);
    expect(code(create({ type: "CNAME", name: "www", content: "other.net" }, made))).toBe(81053);
    expect(create({ type: "TXT", name: "www", content: "text" }, made).status).toBe(200);
  });

  it.each([
    { type: "NONE", name: "a", content: "b" },
    { type: "A", name: "", content: "192.0.2.1" },
    { type: "TXT", name: "a", content: "b", proxied: true },
    { type: "A", name: "a", content: "192.0.2.1", ttl: 29 },
    { type: "A", name: "a", content: "192.0.2.1", ttl: 86_401 },
  ])("refuse %j", (record) => {
    expect(create(record).status).toBe(400);
  });

  it("of the fallback origin cannot be deleted (1039), unless another one serves it too", () => {
    const made = world({ fallback_origin: "fallback.saas.net" });
    const id = text(made.zone("GET", "/dns_records?name=fallback.saas.net"), "result.0.id");
    const refused = made.zone("DELETE", `/dns_records/${id}`);
    expect([refused.status, code(refused)]).toEqual([400, 1039]);
    create({ type: "AAAA", name: "fallback", content: "2001:db8::1", proxied: true }, made);
    expect(made.zone("DELETE", `/dns_records/${id}`).status).toBe(200);
  });
});
