import { describe, expect, it } from "vitest";
import {
  at,
  code,
  hostnameBody,
  text,
  world,
  ZONE_ID,
  type Answer,
  type Json,
  type World,
} from "../../support/emulator.ts";

const CUSTOMER_ZONE = "f".repeat(32);
const HELD =
  "The hostname is associated with a held zone. Please contact the owner of this domain to have the hold removed.";

/** A SaaS zone, and the zone of a customer on the same service. */
function twoZones(behaviour: "described" | "public" = "described"): World {
  const saas = { id: ZONE_ID, name: "saas.net", fallback_origin: "fallback.saas.net" };
  const zones = [saas, { id: CUSTOMER_ZONE, name: "customer.net" }];
  return world({}, { behaviour, seed: { tokens: [{ value: "all" }], zones } });
}

function hold(made: World, method: string, query = "", body?: Json): Answer {
  return made.call(method, `/zones/${CUSTOMER_ZONE}/hold${query}`, body);
}

function create(made: World): string {
  return text(made.zone("POST", "/custom_hostnames", hostnameBody("app.customer.net")), "result.id");
}

function status(made: World, id: string): unknown {
  return at(made.zone("GET", `/custom_hostnames/${id}`), "result.status");
}

describe("a hold", () => {
  it("can be set, shown and removed; 1003 without one", () => {
    const made = twoZones();
    expect(at(hold(made, "GET"), "result")).toEqual({ hold: false, hold_after: "", include_subdomains: false });
    expect(code(hold(made, "DELETE"))).toBe(1003);
    expect(code(hold(made, "PATCH", "", { include_subdomains: true }))).toBe(1003);
    const set = hold(made, "POST", "?include_subdomains=true");
    expect(at(set, "result")).toEqual({ hold: true, hold_after: "", include_subdomains: true });
    expect(at(hold(made, "DELETE"), "result.hold")).toBe(false);
    expect(code(hold(made, "DELETE"))).toBe(1003);
  });

  it("needs an Enterprise zone (1005)", () => {
    const made = world({ plan: "business" });
    const refused = made.zone("POST", "/hold");
    expect([refused.status, code(refused)]).toEqual([403, 1005]);
    expect(made.zone("GET", "/hold").status).toBe(200);
  });

  it("can be suspended until hold_after, and then resumes by itself", () => {
    for (const how of ["DELETE", "PATCH"] as const) {
      const made = twoZones();
      hold(made, "POST", "?include_subdomains=true");
      const after = "2026-02-06T19:11:23Z";
      const suspended =
        how === "DELETE"
          ? hold(made, "DELETE", `?hold_after=${after}`)
          : hold(made, "PATCH", "", { hold_after: after });
      expect(at(suspended, "result")).toEqual({
        hold: false,
        hold_after: after,
        include_subdomains: true,
      });
      made.wait(3599);
      expect(at(hold(made, "GET"), "result.hold")).toBe(false);
      made.wait(1);
      expect(at(hold(made, "GET"), "result")).toEqual({ hold: true, hold_after: "", include_subdomains: true });
    }
  });

  it("can be edited: include_subdomains changes, null ends it, and a time in the past changes nothing", () => {
    const made = twoZones();
    hold(made, "POST");
    expect(at(hold(made, "PATCH", "", { include_subdomains: true }), "result.include_subdomains")).toBe(true);
    expect(at(hold(made, "PATCH", "", { hold_after: "2020-01-01T00:00:00Z" }), "result.hold")).toBe(true);
    expect(hold(made, "PATCH", "", { hold_after: "soon" }).status).toBe(400);
    expect(at(hold(made, "PATCH", "", { hold_after: null }), "result.hold")).toBe(false);
    made.wait(365 * 24 * 60 * 60);
    expect(at(hold(made, "GET"), "result.hold")).toBe(false);
  });
});

describe("a custom hostname in a held zone", () => {
  it("is blocked, with the text, only if the hold also covers subdomains", () => {
    for (const subdomains of [false, true]) {
      const made = twoZones();
      hold(made, "POST", `?include_subdomains=${subdomains}`);
      const id = create(made);
      made.wait(120);
      const answer = made.zone("GET", `/custom_hostnames/${id}`);
      expect(at(answer, "result.status")).toBe(subdomains ? "blocked" : "active");
      expect(at(answer, "result.verification_errors")).toEqual(subdomains ? [HELD] : undefined);
    }
  });

  it("becomes active by itself after the release as described, and after a PATCH as published", () => {
    for (const behaviour of ["described", "public"] as const) {
      const made = twoZones(behaviour);
      hold(made, "POST", "?include_subdomains=true");
      const id = create(made);
      made.wait(120);
      hold(made, "DELETE");
      made.wait(24 * 60 * 60);
      expect(status(made, id)).toBe(behaviour === "described" ? "active" : "blocked");
      made.zone("PATCH", `/custom_hostnames/${id}`, { ssl: { method: "http", type: "dv" } });
      made.wait(60);
      expect(status(made, id)).toBe("active");
    }
  });

  it("becomes active only once it is verified, even if the hold is gone", () => {
    const made = world({ validation: "world", fallback_origin: "fallback.saas.net" });
    made.admin.setDns("customer.net", { held: "subdomains" });
    const id = create(made);
    made.wait(120);
    made.admin.setDns("customer.net", undefined);
    made.wait(600);
    expect(status(made, id)).toBe("pending");
    made.admin.setDns("app.customer.net", { cname: "edge.saas.net" });
    made.wait(600);
    expect(status(made, id)).toBe("active");
  });

  it("is released by an edit of the hold, and blocked again at a new validation after the hold is back", () => {
    const made = twoZones();
    hold(made, "POST", "?include_subdomains=true");
    const id = create(made);
    made.wait(120);
    hold(made, "PATCH", "", { include_subdomains: false });
    made.wait(120);
    expect(status(made, id)).toBe("active");
    made.zone("DELETE", `/custom_hostnames/${id}`);
    hold(made, "PATCH", "", { include_subdomains: true });
    const again = create(made);
    made.wait(120);
    expect(status(made, again)).toBe("blocked");
  });
});
