import { describe, expect, it } from "vitest";
import { at, world, ZONE_ID, type Json, type World } from "../../support/emulator.ts";

const LEGACY = { certificate_authority: "lets_encrypt" };
const ZONE = {
  certificate_packs: [LEGACY, { certificate_authority: "google" }],
  custom_hostnames: [
    { hostname: "set.customer.net", ssl: LEGACY },
    { hostname: "quiet.customer.net", ssl: LEGACY },
    { hostname: "default.customer.net" },
  ],
};

function worldBefore(zone: Parameters<typeof world>[0] = ZONE): World {
  return world(zone, { startTime: "2024-05-25T00:00:00Z" });
}

function untilJune(made: World): void {
  made.wait((Date.parse("2024-06-01T00:00:00Z") - made.service.core.clock.now()) / 1000);
}

function certificates(notice: Json | undefined): unknown {
  const list = at(notice ?? null, "certificates");
  return Array.isArray(list)
    ? list.map((one) => [at(one, "kind"), at(one, "hosts.0"), at(one, "impacted_clients")])
    : [];
}

describe("the notice about the legacy CA", () => {
  it("names the certificates that were set to it, and whether affected clients visit their hostnames", () => {
    const made = worldBefore();
    made.admin.setTraffic("set.customer.net", { impacted_clients: true });
    made.admin.setTraffic("default.customer.net", { impacted_clients: true });
    untilJune(made);
    const notices = made.admin.notices();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({
      zone_id: ZONE_ID,
      certificate_authority: "lets_encrypt",
      sent_at: "2024-06-01T00:00:00.000000Z",
    });
    expect(certificates(notices[0])).toEqual([
      ["advanced", "saas.net", false],
      ["custom_hostname", "set.customer.net", true],
      ["custom_hostname", "quiet.customer.net", false],
    ]);
  });

  it("is sent exactly on its day", () => {
    const made = worldBefore();
    made.wait((Date.parse("2024-06-01T00:00:00Z") - made.service.core.clock.now()) / 1000 - 0.001);
    expect(made.admin.notices()).toEqual([]);
    made.wait(0.001);
    expect(made.admin.notices()).toHaveLength(1);
  });

  it("changes nothing about those certificates", () => {
    const made = worldBefore({ custom_hostnames: ZONE.custom_hostnames.slice(0, 1) });
    const before = made.zone("GET", "/custom_hostnames").body;
    untilJune(made);
    expect(made.admin.notices()).toHaveLength(1);
    expect(made.zone("GET", "/custom_hostnames").body).toEqual(before);
  });

  it("is not sent if the service chose the CA, nor for uploads", () => {
    const made = worldBefore({
      custom_hostnames: [{ hostname: "default.customer.net" }],
      custom_certificates: [{ hosts: ["www.saas.net"] }],
    });
    untilJune(made);
    expect(made.admin.notices()).toEqual([]);
  });

  it("counts visitors of names below a wildcard, and certificates of Total TLS", () => {
    const made = worldBefore({
      total_tls: { enabled: true, ...LEGACY },
      dns_records: [{ type: "A", name: "a.b.saas.net", content: "192.0.2.7", proxied: true }],
      custom_hostnames: [{ hostname: "w.customer.net", ssl: { ...LEGACY, method: "txt", wildcard: true } }],
    });
    made.admin.setTraffic("deep.w.customer.net", { impacted_clients: true });
    untilJune(made);
    expect(certificates(made.admin.notices()[0])).toEqual([
      ["total_tls", "a.b.saas.net", false],
      ["custom_hostname", "w.customer.net", true],
    ]);
  });

  it("can be sent at any time with the admin API, and read from the outbox; a reset empties the outbox", () => {
    const made = world({ custom_hostnames: [{ hostname: "a.customer.net", ssl: LEGACY }] });
    const admin = (method: string, path: string, body?: Json): Json => {
      const sent =
        body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return JSON.parse(made.service.handle({ method, path: `/_admin${path}`, ...sent }).body);
    };
    admin("PUT", "/world/traffic/a.customer.net", { impacted_clients: true });
    expect(certificates(at(admin("POST", `/zones/${ZONE_ID}/notices`), "result"))).toEqual([
      ["custom_hostname", "a.customer.net", true],
    ]);
    expect(at(admin("GET", "/notices"), "result")).toHaveLength(1);
    admin("POST", "/reset");
    expect(at(admin("GET", "/notices"), "result")).toEqual([]);
    expect(at(admin("POST", `/zones/${ZONE_ID}/notices`), "result.certificates.0.impacted_clients")).toBe(false);
  });

  it("only goes to the outbox: there are no webhooks, and their calls are not routed", () => {
    const made = world({ custom_hostnames: [{ hostname: "a.customer.net", ssl: LEGACY }] });
    const calls = [
      ["GET", `/client/v4/accounts/${ZONE_ID}/alerting/v3/destinations/webhooks`],
      ["POST", `/client/v4/accounts/${ZONE_ID}/alerting/v3/destinations/webhooks`],
      ["POST", `/client/v4/accounts/${ZONE_ID}/alerting/v3/policies`],
    ] as const;
    for (const [method, path] of calls) {
      const answer = made.service.handle({ method, path, headers: { authorization: "Bearer all" } });
      expect([path, answer.status, at(JSON.parse(answer.body), "errors.0.code")]).toEqual([path, 404, 7003]);
    }
    made.service.handle({ method: "POST", path: `/_admin/zones/${ZONE_ID}/notices` });
    expect(made.admin.notices().map((notice) => certificates(notice))).toEqual([
      [["custom_hostname", "a.customer.net", false]],
    ]);
  });
});
