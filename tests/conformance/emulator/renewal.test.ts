import { describe, expect, it } from "vitest";
import { at, text, world, ZONE_ID, type World } from "../../support/emulator.ts";
import { letsEncrypt } from "../../support/x509.ts";

const BASE = "/custom_hostnames";
const NAME = "app.customer.net";
const DAY = 24 * 60 * 60;

function first(made: World, path: string): unknown {
  return at(made.zone("GET", BASE), `result.0.${path}`);
}

function pointed(): World {
  const made = world({
    validation: "world",
    fallback_origin: "fallback.saas.net",
    custom_hostnames: [{ hostname: NAME }],
    universal: { enabled: false },
  });
  made.admin.setDns(NAME, { cname: "edge.saas.net" });
  return made;
}

describe("a certificate of 90 days", () => {
  it("is renewed 30 days before its end, with a new serial number, and stays active", () => {
    const made = pointed();
    const serial = first(made, "ssl.serial_number");
    made.wait(60 * DAY - 1);
    expect(first(made, "ssl.serial_number")).toBe(serial);
    made.wait(1);
    expect(first(made, "ssl.serial_number")).not.toBe(serial);
    expect([first(made, "status"), first(made, "ssl.status")]).toEqual(["active", "active"]);
  });

  it("whose name no longer validates is pending_expiration in its last 30 days, then expired", () => {
    const made = world({ validation: "world", custom_hostnames: [{ hostname: NAME }] });
    const look = (): unknown => first(made, "ssl.status");
    made.wait(60 * DAY - 1);
    expect(look()).toBe("active");
    made.wait(1);
    expect(look()).toBe("pending_expiration");
    made.wait(30 * DAY - 1);
    expect(look()).toBe("pending_expiration");
    made.wait(1);
    expect(look()).toBe("expired");
  });

  it("is renewed at the next daily try once its name validates again", () => {
    const made = world({
      validation: "world",
      fallback_origin: "fallback.saas.net",
      custom_hostnames: [{ hostname: NAME }],
    });
    made.wait(70 * DAY);
    made.admin.setDns(NAME, { cname: "edge.saas.net" });
    made.wait(DAY);
    expect([first(made, "ssl.status"), first(made, "status")]).toEqual(["active", "active"]);
  });

  it("that has expired is renewed by a PATCH once the name validates", () => {
    const made = world({
      validation: "world",
      fallback_origin: "fallback.saas.net",
      custom_hostnames: [{ hostname: NAME }],
    });
    made.wait(91 * DAY);
    made.admin.setDns(NAME, { cname: "edge.saas.net" });
    made.wait(120);
    expect(first(made, "ssl.status")).toBe("expired");
    const path = `${BASE}/${text(made.zone("GET", BASE), "result.0.id")}`;
    made.zone("PATCH", path, { ssl: { method: "http", type: "dv" } });
    made.wait(120);
    expect(first(made, "ssl.status")).toBe("active");
  });

  it("that CAA blocks at renewal shows caa_error as described, only the text as published", () => {
    for (const behaviour of ["described", "public"] as const) {
      const made = world(
        { custom_hostnames: [{ hostname: NAME, ssl: { certificate_authority: "google" } }] },
        { behaviour },
      );
      made.admin.setDns("customer.net", { caa: ['0 issue "letsencrypt.org"'] });
      made.wait(60 * DAY);
      expect(first(made, "ssl.validation_errors")).toEqual([{ message: `caa_error: ${NAME}` }]);
      expect(first(made, "status")).toBe(behaviour === "described" ? "caa_error" : "active");
      expect(first(made, "ssl.status")).toBe("pending_expiration");
      made.admin.setDns("customer.net", { caa: ['0 issue "pki.goog"'] });
      made.wait(DAY);
      expect([first(made, "status"), first(made, "ssl.status")]).toEqual(["active", "active"]);
    }
  });

  it("chosen by the service comes from Let's Encrypt if CAA blocks Google at renewal", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME }] });
    made.admin.setDns("customer.net", { caa: ['0 issue "letsencrypt.org"'] });
    made.wait(60 * DAY);
    expect([first(made, "ssl.issuer"), first(made, "ssl.status")]).toEqual(["LetsEncrypt", "active"]);
  });
});

describe("other certificates", () => {
  it("of 14 days are renewed in their last third", () => {
    const made = world({ certificate_packs: [{ validity_days: 14 }], universal: { enabled: false } });
    const serial = (): unknown => at(made.admin.chains(ZONE_ID)[0] ?? null, "certificate_id");
    const before = serial();
    made.wait((14 * DAY * 2) / 3 - 1);
    expect(serial()).toBe(before);
    made.wait(1);
    expect(serial()).not.toBe(before);
  });

  it("that were uploaded are never renewed: pending_expiration, then expired", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME }] }, { startTime: "2033-06-01T00:00:00Z" });
    const { certificate, key } = letsEncrypt(NAME, "none");
    const path = `${BASE}/${text(made.zone("GET", BASE), "result.0.id")}`;
    made.zone("PATCH", path, { ssl: { method: "http", type: "dv", custom_certificate: certificate, custom_key: key } });
    const look = (time: string): unknown => {
      made.wait((Date.parse(time) - made.service.core.clock.now()) / 1000);
      return first(made, "ssl.status");
    };
    expect(look("2033-12-01T00:00:00Z")).toBe("active");
    expect(look("2033-12-31T23:59:59Z")).toBe("pending_expiration");
    expect(look("2034-01-01T00:00:00Z")).toBe("expired");
  });

  it("are renewed over two years with ten times the steps for ten times as many hostnames", () => {
    const stepsOf = (count: number): number => {
      const made = world({ generate: [{ count, pattern: "app{n}.customer.net" }] });
      const { timers } = made.service.core;
      const { takeDue } = timers;
      let steps = 0;
      timers.takeDue = (now) => {
        const timer = takeDue(now);
        if (timer !== undefined) steps += 1;
        return timer;
      };
      made.wait(730 * DAY);
      expect(at(made.zone("GET", `${BASE}?ssl_status=active`), "result_info.total_count")).toBe(count);
      return steps;
    };
    const few = stepsOf(500);
    expect(few).toBeGreaterThan(500 * 4);
    expect(stepsOf(5_000) / few).toBeCloseTo(10, 1);
  });
});
