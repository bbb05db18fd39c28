import { describe, expect, it } from "vitest";
import { at, code, hostnameBody, text, world, ZONE_ID } from "../../support/emulator.ts";
import { countShown } from "../../support/shown.ts";

const BASE = "/custom_hostnames";

describe("creating a custom hostname", () => {
  it("answers 200 as described and 201 as published; PATCH 200 and 202", () => {
    for (const [behaviour, post, patch] of [
      ["described", 200, 200],
      ["public", 201, 202],
    ] as const) {
      const { zone } = world({}, { behaviour });
      const created = zone("POST", BASE, hostnameBody("app.customer.net"));
      expect(created.status).toBe(post);
      const edited = zone("PATCH", `${BASE}/${text(created, "result.id")}`, { ssl: { method: "http", type: "dv" } });
      expect(edited.status).toBe(patch);
    }
  });

  it("begins pending and initializing", () => {
    const { zone } = world();
    const created = zone("POST", BASE, hostnameBody("app.customer.net"));
    expect([at(created, "result.status"), at(created, "result.ssl.status")]).toEqual(["pending", "initializing"]);
  });

  it.each([
    ["1.2.3.4", 400, 1407],
    ["a b.customer.net", 400, 1407],
    [`${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(12)}`, 400, 1407],
    ["büro.customer.net", 400, 1408],
    ["app.customer.test", 400, 1409],
    ["app.localhost", 400, 1409],
    ["customer", 400, 1410],
    ["co.uk", 400, 1410],
    ["*.github.io", 400, 1410],
    ["app.example.com", 400, 1411],
  ])("refuses the name %s with %i/%i", (hostname, status, expected) => {
    const answer = world().zone("POST", BASE, hostnameBody(hostname));
    expect([answer.status, code(answer)]).toEqual([status, expected]);
  });

  it("accepts a name of 255 characters, with branding", () => {
    const hostname = [60, 60, 60, 60].map((length) => "a".repeat(length)).join(".") + ".customer.n";
    expect(hostname).toHaveLength(254);
    const answer = world().zone("POST", BASE, hostnameBody(`${hostname}o`, { cloudflare_branding: true }));
    expect(answer.status).toBe(200);
  });

  it("refuses a duplicate with 409/1406, ignoring case", () => {
    const { zone } = world();
    zone("POST", BASE, hostnameBody("app.customer.net"));
    const answer = zone("POST", BASE, hostnameBody("APP.customer.net"));
    expect([answer.status, code(answer)]).toEqual([409, 1406]);
  });

  it("accepts 64 characters without branding, and refuses 65 with 1469", () => {
    const { zone } = world();
    const name = (length: number): string => `${"a".repeat(50)}.${"b".repeat(length - 55)}.net`;
    expect(name(64)).toHaveLength(64);
    expect(zone("POST", BASE, hostnameBody(name(64))).status).toBe(200);
    const refused = zone("POST", BASE, hostnameBody(name(65)));
    expect(code(refused)).toBe(1469);
    // In the words of the description: the message says that branding is required.
    expect(text(refused, "errors.0.message")).toContain("cloudflare_branding is required");
    expect(zone("POST", BASE, hostnameBody(name(65), { cloudflare_branding: true })).status).toBe(200);
    const inside = { ssl: { method: "http", type: "dv", cloudflare_branding: true } };
    expect(zone("POST", BASE, { hostname: `x${name(65)}`, ...inside }).status).toBe(200);
  });

  it.each([
    [{ type: "dv" }, 1440],
    [{ method: "txt" }, 1440],
    [{ method: "cname", type: "dv" }, 1432],
    [{ method: "txt", type: "ev" }, 1433],
    [{ method: "txt", type: "dv", bundle_method: "all" }, 1449],
    [{ method: "http", type: "dv", wildcard: true }, 1448],
    [{ method: "txt", type: "dv", settings: { http2: "yes" } }, 1422],
    [{ method: "txt", type: "dv", settings: { tls_1_3: "yes" } }, 1424],
    [{ method: "txt", type: "dv", settings: { min_tls_version: "1.4" } }, 1425],
    [{ method: "txt", type: "dv", settings: { ciphers: "all" } }, 1442],
    [{ method: "txt", type: "dv", settings: { min_tls_version: "1.3", ciphers: ["AES128-SHA"] } }, 1443],
    [{ method: "txt", type: "dv", custom_certificate: "", custom_key: "" }, 1427],
    [{ method: "txt", type: "dv", custom_certificate: "no", custom_key: "no" }, 1426],
  ])("refuses ssl %j with %i", (ssl, expected) => {
    expect(code(world().zone("POST", BASE, { hostname: "app.customer.net", ssl }))).toBe(expected);
  });

  it.each(["digicert", "google"])("refuses a CA that does not issue such a certificate: %s", (authority) => {
    const ssl = { method: "txt", type: "dv", certificate_authority: authority };
    for (const behaviour of ["described", "public"] as const)
      expect(code(world({}, { behaviour }).zone("POST", BASE, { hostname: "xn--kln-sna.net", ssl }))).toBe(1434);
  });

  it("chooses another CA for punycode, because Google does not issue for it", () => {
    const { zone, wait } = world();
    expect(zone("POST", BASE, hostnameBody("xn--kln-sna.net")).status).toBe(200);
    wait(600);
    expect(at(zone("GET", BASE), "result.0.ssl")).toMatchObject({ status: "active", issuer: "LetsEncrypt" });
  });

  it("lets every plan choose a CA as described, only Enterprise as published (1459)", () => {
    const ssl = { method: "txt", type: "dv", certificate_authority: "lets_encrypt" };
    const post = (behaviour: "described" | "public", plan: "pro" | "enterprise"): unknown =>
      code(world({ plan }, { behaviour }).zone("POST", BASE, { hostname: "app.customer.net", ssl }));
    expect(post("described", "pro")).toBeUndefined();
    expect(post("public", "pro")).toBe(1459);
    expect(post("public", "enterprise")).toBeUndefined();
  });

  it.each([
    [{ custom_origin_server: "*.saas.net" }, 1420],
    [{ custom_origin_server: "other.saas.net" }, 1421],
    [{ custom_origin_server: "origin.test" }, 1417],
    [{ custom_origin_server: "origin.example.com" }, 1419],
  ])("refuses the origin %j with %i", (origin, expected) => {
    expect(code(world().zone("POST", BASE, hostnameBody("app.customer.net", origin)))).toBe(expected);
  });

  it("accepts 4,096 bytes of metadata, not 4,097, also on a wildcard", () => {
    const { zone } = world();
    const metadata = (bytes: number): { a: string } => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
    const post = (hostname: string, bytes: number): unknown =>
      code(zone("POST", BASE, hostnameBody(hostname, { custom_metadata: metadata(bytes) })));
    expect(post("a.customer.net", 4096)).toBeUndefined();
    expect(post("b.customer.net", 4097)).toBe(1401);
    const wild = { hostname: "c.customer.net", ssl: { method: "txt", type: "dv", wildcard: true } };
    expect(at(zone("POST", BASE, { ...wild, custom_metadata: { a: "b" } }), "result.custom_metadata.a")).toBe("b");
  });

  it("warns beyond the allocated quota and refuses beyond the hard cap with 403/1405", () => {
    const { zone } = world({ quota: { allocated: 1, hard_cap: 2 } });
    expect(at(zone("POST", BASE, hostnameBody("a.customer.net")), "messages")).toEqual([]);
    expect(typeof at(zone("POST", BASE, hostnameBody("b.customer.net")), "messages.0")).toBe("string");
    const third = zone("POST", BASE, hostnameBody("c.customer.net"));
    expect([third.status, code(third)]).toEqual([403, 1405]);
    expect(at(zone("GET", `${BASE}/quota`), "result")).toEqual({ allocated: 1, used: 2, exceeded: true, hard_cap: 2 });
  });

  it("is possible without any certificate", () => {
    expect(at(world().zone("POST", BASE, { hostname: "app.customer.net" }), "result.ssl")).toBeNull();
  });
});

describe("the issuance limit", () => {
  it("accepts 15 in a minute, blocks for 30 seconds at the 16th, and counts only successful ones", () => {
    const { zone, wait } = world();
    const post = (n: number): ReturnType<typeof zone> => zone("POST", BASE, hostnameBody(`a${n}.customer.net`));
    for (let n = 1; n <= 15; n++) expect(post(n).status).toBe(200);
    expect(post(1).status).toBe(409);
    const blocked = post(16);
    expect([blocked.status, blocked.headers["retry-after"]]).toEqual([429, "30"]);
    wait(29);
    expect([post(16).status, post(16).headers["retry-after"]]).toEqual([429, "1"]);
    wait(1);
    expect(post(16).status).toBe(200);
  });

  it("does not count PATCH, nor hostnames without a certificate", () => {
    const { zone } = world({ custom_hostnames: [{ hostname: "old.customer.net" }] });
    const id = text(zone("GET", `${BASE}?hostname=old.customer.net`), "result.0.id");
    for (let n = 0; n < 20; n++) {
      expect(zone("PATCH", `${BASE}/${id}`, { ssl: { method: "http", type: "dv" } }).status).toBe(200);
      expect(zone("POST", BASE, { hostname: `n${n}.customer.net` }).status).toBe(200);
    }
  });

  it("can be raised per account", () => {
    const seed = {
      accounts: [{ issuance_per_minute: 16 }],
      tokens: [{ value: "all" }],
      zones: [{ id: ZONE_ID, name: "saas.net" }],
    };
    const { zone } = world({}, { seed });
    for (let n = 1; n <= 16; n++) expect(zone("POST", BASE, hostnameBody(`a${n}.customer.net`)).status).toBe(200);
    expect(zone("POST", BASE, hostnameBody("a17.customer.net")).status).toBe(429);
  });
});

describe("reading, listing and deleting", () => {
  it("answers 1436 for an unknown id and 1435 for a malformed one", () => {
    const { zone } = world();
    const unknown = zone("GET", `${BASE}/0d89c70d-ad9f-4843-b99f-6cc0252067e9`);
    expect([unknown.status, code(unknown)]).toEqual([404, 1436]);
    expect(code(zone("GET", `${BASE}/nonsense`))).toBe(1435);
  });

  it("allows pages of 1,000 as described and of 50 as published, no more", () => {
    const page = (behaviour: "described" | "public", size: number): number =>
      world({}, { behaviour }).zone("GET", `${BASE}?per_page=${size}`).status;
    expect([page("described", 1000), page("described", 1001)]).toEqual([200, 400]);
    expect([page("public", 50), page("public", 51)]).toEqual([200, 400]);
    expect([page("described", 5), page("described", 4)]).toEqual([200, 400]);
  });

  it("lists each of 10,000 once, a thousand per page, and a page builds only its own", () => {
    const made = world({ generate: [{ count: 10_000, pattern: "app{n}.customer.net" }] });
    const { zone } = made;
    const shown = countShown(made);
    const ids = new Set<unknown>();
    for (let page = 1; page <= 10; page++) {
      const answer = zone("GET", `${BASE}?per_page=1000&page=${page}`);
      const result = at(answer, "result");
      for (const record of Array.isArray(result) ? result : []) ids.add(at(record, "id"));
      expect(at(answer, "result_info")).toMatchObject({ page, per_page: 1000, total_count: 10_000, total_pages: 10 });
    }
    expect(ids.size).toBe(10_000);
    expect(shown()).toBe(10_000);
  });

  it("finds by name, by status and by issuing CA", () => {
    const { zone } = world({
      custom_hostnames: [
        { hostname: "a.customer.net", ssl: { certificate_authority: "lets_encrypt" } },
        { hostname: "aa.customer.net", status: "pending" },
      ],
    });
    const count = (query: string): unknown => at(zone("GET", `${BASE}?${query}`), "result_info.total_count");
    expect(count("hostname=a.customer.net")).toBe(2);
    expect(count("hostname=AA.customer")).toBe(1);
    expect(count("hostname=nobody")).toBe(0);
    expect(count("hostname.exact=a.customer.net")).toBe(1);
    expect(count("hostname.startsWith=aa")).toBe(1);
    expect(count("hostname_status=pending")).toBe(1);
    expect(count("certificate_authority=lets_encrypt")).toBe(1);
    expect(code(zone("GET", `${BASE}?hostname.contain=`))).toBe(1437);
  });

  it("takes several forms of the name together, and nothing beside an id (1438)", () => {
    const { zone } = world({ generate: [{ count: 3, pattern: "app{n}.customer.net" }] });
    const forms = zone("GET", `${BASE}?hostname.contain=app&hostname.startsWith=app2&hostname.exact=app2.customer.net`);
    expect(at(forms, "result_info.total_count")).toBe(1);
    const id = text(forms, "result.0.id");
    expect(at(zone("GET", `${BASE}?id=${id}`), "result_info.total_count")).toBe(1);
    for (const other of ["hostname=app", "hostname.exact=app2.customer.net", "ssl=1", "wildcard=false"])
      expect(code(zone("GET", `${BASE}?id=${id}&${other}`))).toBe(1438);
  });

  it("sorts by whether there is a certificate, or by its status", () => {
    const { zone } = world({
      custom_hostnames: [{ hostname: "b.customer.net" }, { hostname: "a.customer.net", ssl: null }],
    });
    const first = (query: string): unknown => at(zone("GET", `${BASE}?${query}`), "result.0.hostname");
    expect(first("order=ssl")).toBe("a.customer.net");
    expect(first("order=ssl&direction=desc")).toBe("b.customer.net");
    expect(first("order=ssl_status&direction=desc")).toBe("b.customer.net");
  });

  it("deletes only once, with only an id as response", () => {
    const { zone } = world({ custom_hostnames: [{ hostname: "a.customer.net" }] });
    const id = text(zone("GET", BASE), "result.0.id");
    expect(zone("DELETE", `${BASE}/${id}`).body).toEqual({ id });
    expect(code(zone("DELETE", `${BASE}/${id}`))).toBe(1436);
  });
});
