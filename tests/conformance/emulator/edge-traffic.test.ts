import { describe, expect, it } from "vitest";
import { at, hostnameBody, text, world, ZONE_ID, type Json, type World } from "../../support/emulator.ts";

const BASE = "/custom_hostnames";
const NAME = "app.customer.net";
const CUSTOMER_ZONE = "f".repeat(32);

/** What the edge answers a visitor, in short. */
function visit(made: World, host: string = NAME): unknown[] {
  const { status, code, cause, origin } = made.edge.request(host, "/x");
  return [status, code, cause, origin];
}

function active(more: Parameters<typeof world>[0] = {}): World {
  return world({ fallback_origin: "fallback.saas.net", custom_hostnames: [{ hostname: NAME }], ...more });
}

describe("the edge", () => {
  it("answers for an active hostname from the fallback origin", () => {
    const made = active();
    expect(visit(made)).toEqual([200, null, null, "fallback.saas.net"]);
    const answer = made.edge.request("APP.customer.net:443", "/x");
    expect(answer.body).toBe("app.customer.net/x from fallback.saas.net");
    expect(answer.certificate).toMatchObject({ commonName: NAME, authority: "google", chain: "own" });
  });

  it("answers from the custom origin of a hostname that has one, even without a fallback origin", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME, custom_origin_server: "origin2.saas.net" }] });
    expect(visit(made)).toEqual([200, null, null, "origin2.saas.net"]);
  });

  it("shows no certificate before one is issued, and none that has expired", () => {
    const made = active({ validation: "world", custom_hostnames: [{ hostname: NAME }] });
    expect(made.edge.request(NAME).certificate).not.toBeNull();
    made.wait(91 * 24 * 60 * 60);
    expect(made.edge.request(NAME).certificate).toBeNull();
    const fresh = active({ custom_hostnames: [] });
    fresh.zone("POST", BASE, hostnameBody(NAME));
    expect(fresh.edge.request(NAME).certificate).toBeNull();
  });

  it("shows the old certificate while another CA issues the new one", () => {
    const made = active();
    const path = `${BASE}/${text(made.zone("GET", BASE), "result.0.id")}`;
    made.zone("PATCH", path, { ssl: { method: "http", type: "dv", certificate_authority: "lets_encrypt" } });
    made.wait(60);
    expect(made.edge.request(NAME).certificate?.authority).toBe("google");
    made.wait(60);
    expect(made.edge.request(NAME).certificate?.authority).toBe("lets_encrypt");
  });

  it("does not know a host that is in no zone", () => {
    expect(visit(active(), "nobody.net")).toEqual([409, 1001, "unknown_host", null]);
  });

  it("serves the zone's own proxied names, with the certificate that covers them", () => {
    const made = active();
    expect(visit(made, "fallback.saas.net")).toEqual([200, null, null, "192.0.2.10"]);
    expect(made.edge.request("fallback.saas.net").certificate?.commonName).toBe("saas.net");
  });

  it("answers 403 for a custom hostname that equals the zone's own name", () => {
    const made = active({ custom_hostnames: [{ hostname: "saas.net" }] });
    expect(visit(made, "saas.net")).toEqual([403, null, "own_zone_name", null]);
  });

  it("can be queried with the admin API", () => {
    const made = active();
    const query = new URLSearchParams({ host: NAME, path: "/y" });
    const body: Json = JSON.parse(made.service.handle({ method: "GET", path: "/_admin/edge", query }).body);
    expect(at(body, "result")).toMatchObject({ status: 200, origin: "fallback.saas.net", zone_id: ZONE_ID });
  });
});

describe("error 1016", () => {
  it("appears while ownership is incomplete, with the verification errors, until the hostname is active", () => {
    const made = world({ validation: "world", fallback_origin: "fallback.saas.net" });
    made.admin.setDns(NAME, { cname: "elsewhere.net" });
    made.zone("POST", BASE, hostnameBody(NAME));
    made.wait(60);
    expect(visit(made)).toEqual([530, 1016, "ownership_incomplete", null]);
    expect(made.edge.request(NAME).reasons).toEqual(["custom hostname does not CNAME to this zone."]);
    made.admin.setDns(NAME, { cname: "edge.saas.net" });
    made.wait(63);
    expect(visit(made)).toEqual([200, null, null, "fallback.saas.net"]);
  });

  it("appears for a moved and for a blocked hostname", () => {
    const moved = active();
    moved.admin.setDns(NAME, { cname: "elsewhere.net" });
    moved.wait(3600);
    expect(visit(moved)).toEqual([530, 1016, "ownership_incomplete", null]);
    const blocked = active({ custom_hostnames: [] });
    blocked.admin.setDns("customer.net", { held: "subdomains" });
    blocked.zone("POST", BASE, hostnameBody(NAME));
    blocked.wait(60);
    expect(blocked.edge.request(NAME).cause).toBe("ownership_incomplete");
  });

  it("appears while the fallback origin is not set", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME }] });
    expect(visit(made)).toEqual([530, 1016, "fallback_origin_missing", null]);
    made.zone("PUT", `${BASE}/fallback_origin`, { origin: "fallback.saas.net" });
    made.wait(2);
    expect(visit(made)[0]).toBe(200);
    made.zone("DELETE", `${BASE}/fallback_origin`);
    expect(visit(made)[2]).toBe("fallback_origin_missing");
  });

  it("appears while the fallback origin's DNS record is missing or not proxied", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME }] });
    made.zone("PUT", `${BASE}/fallback_origin`, { origin: "new.saas.net" });
    expect(visit(made)).toEqual([530, 1016, "fallback_record_missing", null]);
    const record = { type: "A", name: "new.saas.net", content: "192.0.2.11" };
    const id = text(made.zone("POST", "/dns_records", record), "result.id");
    expect(visit(made)[2]).toBe("fallback_record_missing");
    made.zone("PATCH", `/dns_records/${id}`, { proxied: true });
    expect(visit(made)).toEqual([200, null, null, "new.saas.net"]);
  });

  describe("appears for a name in a standalone zone, which takes precedence over a wildcard even without a DNS record", () => {
    const wildcard = { hostname: "*.customer.net", ssl: { method: "txt" } };

    it("does so for a zone outside this service", () => {
      const made = active({ custom_hostnames: [wildcard] });
      expect(visit(made, "shop.customer.net")).toEqual([200, null, null, "fallback.saas.net"]);
      made.admin.setDns("customer.net", { zone: true });
      expect(visit(made, "shop.customer.net")).toEqual([530, 1016, "standalone_zone", null]);
    });

    it("does so for a zone on this service; its own record serves the name, and an individual hostname restores it", () => {
      const saas = {
        id: ZONE_ID,
        name: "saas.net",
        fallback_origin: "fallback.saas.net",
        custom_hostnames: [wildcard],
      };
      const fallback = { type: "A", name: "fallback.saas.net", content: "192.0.2.10", proxied: true };
      const customer = { id: CUSTOMER_ZONE, name: "customer.net" };
      const seed = { tokens: [{ value: "all" }], zones: [{ ...saas, dns_records: [fallback] }, customer] };
      const made = world({}, { seed });
      expect(visit(made, "shop.customer.net")).toEqual([530, 1016, "standalone_zone", null]);
      const own = { type: "A", name: "www.customer.net", content: "192.0.2.99", proxied: true };
      made.call("POST", `/zones/${CUSTOMER_ZONE}/dns_records`, own);
      expect(visit(made, "www.customer.net")).toEqual([200, null, null, "192.0.2.99"]);
      made.zone("POST", BASE, hostnameBody("shop.customer.net"));
      made.wait(120);
      expect(visit(made, "shop.customer.net")).toEqual([200, null, null, "fallback.saas.net"]);
    });

    it("does not appear more than one level below a wildcard certificate, where the host is unknown", () => {
      const made = active({ custom_hostnames: [{ hostname: "w.net", ssl: { method: "txt", wildcard: true } }] });
      expect(visit(made, "a.w.net")[0]).toBe(200);
      expect(visit(made, "b.a.w.net")[2]).toBe("unknown_host");
    });
  });
});

describe("an apex", () => {
  it("reaches the zone through an A record to one of its addresses", () => {
    const made = world({ validation: "world", fallback_origin: "fallback.saas.net", apex_addresses: ["198.51.100.7"] });
    made.admin.setDns("customer.net", { a: ["198.51.100.8"] });
    made.zone("POST", BASE, hostnameBody("customer.net"));
    made.wait(60);
    expect(at(made.zone("GET", BASE), "result.0.verification_errors")).toEqual([
      "None of the A or AAAA records are owned by this account and the pre-generated ownership verification token was not found.",
    ]);
    made.admin.setDns("customer.net", { a: ["198.51.100.7"] });
    made.wait(200);
    expect(at(made.zone("GET", BASE), "result.0")).toMatchObject({ status: "active", ssl: { status: "active" } });
  });
});
