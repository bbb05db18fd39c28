import { describe, expect, it } from "vitest";
import { at, text, world, ZONE_ID, type Json, type World } from "../../support/emulator.ts";
import { letsEncrypt } from "../../support/x509.ts";

/** A world whose clock starts at a time. */
function worldAt(startTime: string, zone: Parameters<typeof world>[0] = {}): World {
  return world(zone, { startTime });
}

function moveTo(made: World, time: string): void {
  made.wait((Date.parse(time) - made.service.core.clock.now()) / 1000);
}

/** The chains of the zone's certificates at a time, by kind. */
function chains(made: World, time?: string): { [kind: string]: Json | undefined } {
  const found = made.admin.chains(ZONE_ID, time === undefined ? undefined : Date.parse(time));
  return Object.fromEntries(found.map((one) => [text(one, "kind"), at(one, "chain.name")]));
}

function authorities(made: World): unknown[] {
  return made.admin.chains(ZONE_ID).map((one) => `${text(one, "kind")} ${text(one, "issuing_authority")}`);
}

const LEGACY = { ssl: { certificate_authority: "lets_encrypt" } };
const DEEP = { type: "A", name: "a.b.saas.net", content: "192.0.2.7", proxied: true };

describe("2024-06-01, the automatic switch", () => {
  const zone = {
    total_tls: { enabled: true, certificate_authority: "lets_encrypt" },
    dns_records: [DEEP],
    certificate_packs: [{ certificate_authority: "lets_encrypt" }],
    custom_hostnames: [{ hostname: "default.customer.net" }, { hostname: "chosen.customer.net", ...LEGACY }],
  };

  it("re-issues managed certificates that were not set to the legacy CA, exactly at midnight", () => {
    const made = worldAt("2024-05-20T12:00:00Z", zone);
    moveTo(made, "2024-05-31T23:59:59.999Z");
    expect(authorities(made)).toEqual([
      "universal lets_encrypt",
      "total_tls lets_encrypt",
      "advanced lets_encrypt",
      "custom_hostname lets_encrypt",
      "custom_hostname lets_encrypt",
    ]);
    moveTo(made, "2024-06-01T00:00:00Z");
    expect(authorities(made)).toEqual([
      "universal google",
      "total_tls lets_encrypt",
      "advanced lets_encrypt",
      "custom_hostname google",
      "custom_hostname lets_encrypt",
    ]);
    const statuses = [0, 1].map((n) => at(made.zone("GET", "/custom_hostnames"), `result.${n}.ssl.status`));
    expect(statuses).toEqual(["active", "active"]);
  });

  it("keeps the chosen CA for good, through every renewal", () => {
    const made = worldAt("2024-05-20T12:00:00Z", zone);
    moveTo(made, "2025-05-20T12:00:00Z");
    expect(authorities(made).filter((one) => String(one).endsWith("lets_encrypt"))).toHaveLength(3);
  });

  it("skips certificates for which CAA blocks every other CA", () => {
    const made = worldAt("2024-05-20T12:00:00Z", { custom_hostnames: [{ hostname: "default.customer.net" }] });
    made.admin.setDns("customer.net", { caa: ['0 issue "letsencrypt.org"'] });
    moveTo(made, "2024-06-01T00:00:00Z");
    const legacy = at(
      made.zone("GET", "/custom_hostnames?certificate_authority=lets_encrypt"),
      "result_info.total_count",
    );
    expect(legacy).toBe(1);
  });

  it("the service's own choice is Let's Encrypt the day before, Google the day after", () => {
    for (const [start, issuer] of [
      ["2024-05-31T00:00:00Z", "LetsEncrypt"],
      ["2024-06-02T00:00:00Z", "GoogleTrustServices"],
    ] as const) {
      const made = worldAt(start);
      made.zone("POST", "/custom_hostnames", { hostname: "a.customer.net", ssl: { method: "http", type: "dv" } });
      made.wait(120);
      expect(at(made.zone("GET", "/custom_hostnames"), "result.0.ssl.issuer")).toBe(issuer);
    }
  });
});

describe("2024-09-09: issuance and bundling no longer use the cross-signed chain", () => {
  it("what the legacy CA issues has it the day before, and the self-signed one the day after", () => {
    for (const [start, chain] of [
      ["2024-09-08T12:00:00Z", "cross-signed"],
      ["2024-09-08T23:50:00Z", "cross-signed"],
      ["2024-09-09T00:00:00Z", "self-signed"],
      ["2024-09-10T12:00:00Z", "self-signed"],
    ] as const) {
      const made = worldAt(start);
      const ssl = { method: "http", type: "dv", certificate_authority: "lets_encrypt" };
      made.zone("POST", "/custom_hostnames", { hostname: "a.customer.net", ssl });
      made.wait(120);
      expect(chains(made)).toMatchObject({ custom_hostname: chain, universal: "own" });
    }
  });

  it("certificates issued before that day keep it", () => {
    const made = worldAt("2024-09-01T00:00:00Z", { custom_hostnames: [{ hostname: "a.customer.net", ...LEGACY }] });
    moveTo(made, "2024-09-10T00:00:00Z");
    expect(chains(made)["custom_hostname"]).toBe("cross-signed");
  });

  it("compatible and modern uploads keep it if they are from the day before, and never get it the day after", () => {
    for (const bundle_method of ["ubiquitous", "optimal"] as const) {
      for (const [day, chain] of [
        ["2024-09-08T12:00:00Z", "cross-signed"],
        ["2024-09-10T12:00:00Z", "self-signed"],
      ] as const) {
        const made = worldAt(day);
        const { certificate, key } = letsEncrypt("www.saas.net", "cross-signed");
        made.zone("POST", "/custom_certificates", { certificate, private_key: key, bundle_method });
        made.wait(60);
        expect(chains(made)["custom_certificate"]).toBe(chain);
      }
    }
  });

  it("certificates that are edited after that day are bundled again", () => {
    const upload = { hosts: ["www.saas.net"], bundle_method: "ubiquitous" } as const;
    const made = worldAt("2024-09-08T00:00:00Z", { custom_certificates: [upload] });
    moveTo(made, "2024-09-10T00:00:00Z");
    expect(chains(made)["custom_certificate"]).toBe("cross-signed");
    const id = text(made.zone("GET", "/custom_certificates"), "result.0.id");
    made.zone("PATCH", `/custom_certificates/${id}`, { bundle_method: "optimal" });
    expect(chains(made)["custom_certificate"]).toBe("self-signed");
  });
});

describe("2024-09-30: the cross-signed chain expires", () => {
  const uploads = (["ubiquitous", "optimal", "force"] as const).map((bundle_method) => ({
    hosts: ["www.saas.net"],
    bundle_method,
    chain: "cross-signed" as const,
  }));

  function uploaded(made: World, time: string): unknown[] {
    return made.admin
      .chains(ZONE_ID, Date.parse(time))
      .filter((one) => one["kind"] === "custom_certificate")
      .map((one) => [at(one, "bundling"), at(one, "chain.name"), at(one, "chain.expired")]);
  }

  it("the day before, all earlier uploads are served with it, to every client", () => {
    const made = worldAt("2024-09-01T00:00:00Z", { custom_certificates: uploads });
    expect(uploaded(made, "2024-09-29T12:00:00Z")).toEqual([
      ["ubiquitous", "cross-signed", false],
      ["optimal", "cross-signed", false],
      ["force", "cross-signed", false],
    ]);
    const [, first] = made.admin.chains(ZONE_ID, Date.parse("2024-09-29T12:00:00Z"));
    expect(at(first ?? null, "chain.reaches_impacted_clients")).toBe(true);
  });

  it("the day after, compatible and modern ones get the self-signed root, and user-defined ones stay as uploaded", () => {
    const made = worldAt("2024-09-01T00:00:00Z", { custom_certificates: uploads });
    moveTo(made, "2024-10-01T00:00:00Z");
    expect(uploaded(made, "2024-10-01T00:00:00Z")).toEqual([
      ["ubiquitous", "self-signed", false],
      ["optimal", "self-signed", false],
      ["force", "cross-signed", true],
    ]);
    const after = made.admin.chains(ZONE_ID).filter((one) => one["kind"] === "custom_certificate");
    expect(after.map((one) => at(one, "chain.reaches_impacted_clients"))).toEqual([false, false, false]);
  });

  it("changes at midnight of that day, for managed certificates too", () => {
    const made = worldAt("2024-09-01T00:00:00Z", { custom_hostnames: [{ hostname: "a.customer.net", ...LEGACY }] });
    expect(chains(made, "2024-09-29T23:59:59.999Z")["custom_hostname"]).toBe("cross-signed");
    expect(chains(made, "2024-09-30T00:00:00Z")["custom_hostname"]).toBe("self-signed");
  });

  it("user-defined uploads with the cross-signed chain are still accepted afterwards, and served", () => {
    const made = worldAt("2024-10-02T00:00:00Z");
    const { certificate, key } = letsEncrypt("www.saas.net", "cross-signed");
    const body = { certificate, private_key: key, bundle_method: "force" };
    expect(made.zone("POST", "/custom_certificates", body).status).toBe(200);
    expect(chains(made)["custom_certificate"]).toBe("cross-signed");
  });
});

describe("a chain", () => {
  it("can be queried by date with the admin API", () => {
    const { service } = worldAt("2024-09-01T00:00:00Z", {
      custom_hostnames: [{ hostname: "a.customer.net", ...LEGACY }],
    });
    const path = `/_admin/zones/${ZONE_ID}/chains`;
    const answer = service.handle({ method: "GET", path, query: new URLSearchParams("at=2024-09-29T00:00:00Z") });
    const body: Json = JSON.parse(answer.body);
    expect(at(body, "result.1")).toMatchObject({
      kind: "custom_hostname",
      chosen_authority: "lets_encrypt",
      issuing_authority: "lets_encrypt",
      bundling: "managed",
      chain: { name: "cross-signed", certificates: ["R3", "ISRG Root X1 (cross-signed by DST Root CA X3)"] },
    });
  });

  it("does not exist before a certificate is issued, nor after it expires", () => {
    const made = worldAt("2024-09-01T00:00:00Z", { custom_certificates: [{ hosts: ["www.saas.net"] }] });
    expect(chains(made, "2024-08-31T00:00:00Z")["custom_certificate"]).toBeUndefined();
    expect(chains(made, "2024-11-30T00:00:00Z")["custom_certificate"]).toBeUndefined();
  });
});
