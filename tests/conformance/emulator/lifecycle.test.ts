import { describe, expect, it } from "vitest";
import { at, code, hostnameBody, text, world, ZONE_ID, type Answer, type World } from "../../support/emulator.ts";

const BASE = "/custom_hostnames";
const NAME = "app.customer.net";
const HELD =
  "The hostname is associated with a held zone. Please contact the owner of this domain to have the hold removed.";
const DAY = 24 * 60 * 60;

/** The waits before the tries 0 to 74, by the published formula (docs/service.md#back-off). */
function waits(): number[] {
  return Array.from({ length: 75 }, (_, n) => Math.min(Math.floor(60 * (n < 10 ? 1.05 : 1.15) ** n), 14_400));
}

function create(made: World, more: { ssl?: { [key: string]: string | boolean } } = {}): string {
  return text(made.zone("POST", BASE, hostnameBody(NAME, more)), "result.id");
}

function statuses(answer: Answer): unknown[] {
  return [at(answer, "result.status"), at(answer, "result.ssl.status")];
}

function worldOfDns(behaviour: "described" | "public" = "described"): World {
  return world({ validation: "world", fallback_origin: "fallback.saas.net" }, { behaviour });
}

describe("becoming active", () => {
  it("shows validation records some seconds after creation", () => {
    const made = world();
    const id = create(made, { ssl: { method: "txt", type: "dv" } });
    made.wait(1);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.ssl.validation_records")).toBeUndefined();
    made.wait(1);
    const answer = made.zone("GET", `${BASE}/${id}`);
    expect(statuses(answer)).toEqual(["pending", "pending_validation"]);
    expect(at(answer, "result.ssl.validation_records.0.txt_name")).toBe("_acme-challenge.app.customer.net");
  });

  it("needs no help in an automatic zone: validation, issuance, deployment, active", () => {
    const made = world();
    const id = create(made);
    const look = (): unknown[] => statuses(made.zone("GET", `${BASE}/${id}`));
    made.wait(60);
    expect(look()).toEqual(["active", "pending_issuance"]);
    made.wait(5);
    expect(look()).toEqual(["active", "pending_deployment"]);
    made.wait(5);
    expect(look()).toEqual(["active", "active"]);
    const result = at(made.zone("GET", `${BASE}/${id}`), "result");
    expect(result).not.toHaveProperty("ownership_verification");
    expect(result).not.toHaveProperty("verification_errors");
    expect(result).not.toHaveProperty("ssl.validation_records");
  });

  it("succeeds by CNAME at the next try after the record exists", () => {
    const made = worldOfDns();
    const id = create(made);
    made.wait(60);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("pending");
    made.admin.setDns(NAME, { cname: "edge.saas.net" });
    made.wait(62);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("pending");
    made.wait(1);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("active");
  });

  it("succeeds by TXT token, and by HTTP token", () => {
    for (const way of ["txt", "http"]) {
      const made = worldOfDns();
      const id = create(made);
      const record = made.zone("GET", `${BASE}/${id}`);
      if (way === "txt") {
        const name = text(record, "result.ownership_verification.name");
        made.admin.setDns(name, { txt: [text(record, "result.ownership_verification.value")] });
      } else {
        const url = text(record, "result.ownership_verification_http.http_url");
        made.admin.setHttp(url, text(record, "result.ownership_verification_http.http_body"));
      }
      made.wait(60);
      expect(statuses(made.zone("GET", `${BASE}/${id}`))).toEqual(["active", "pending_validation"]);
    }
  });

  it("issues once the CA finds its TXT record, even without traffic", () => {
    const made = worldOfDns();
    const id = create(made, { ssl: { method: "txt", type: "dv" } });
    made.wait(2);
    const record = made.zone("GET", `${BASE}/${id}`);
    const value = text(record, "result.ssl.validation_records.0.txt_value");
    made.admin.setDns(text(record, "result.ssl.validation_records.0.txt_name"), { txt: [value] });
    made.wait(58 + 10);
    expect(statuses(made.zone("GET", `${BASE}/${id}`))).toEqual(["pending", "active"]);
  });

  it("names what is wrong: a CNAME elsewhere, no fallback origin", () => {
    const made = world({ validation: "world" });
    made.admin.setDns(NAME, { cname: "elsewhere.net" });
    const id = create(made);
    made.wait(60);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.verification_errors")).toEqual([
      "custom hostname does not CNAME to this zone.",
      "Zone does not have a fallback origin set.",
    ]);
  });
});

describe("giving up", () => {
  const total = waits().reduce((sum, wait) => sum + wait, 0);

  it("is still pending after 74 tries, and after the 75th moved as described, deleted as published", () => {
    for (const behaviour of ["described", "public"] as const) {
      const made = worldOfDns(behaviour);
      const id = create(made);
      made.wait(total - 1);
      expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("pending");
      made.wait(1);
      const answer = made.zone("GET", `${BASE}/${id}`);
      expect(at(answer, "result.status") ?? code(answer)).toBe(behaviour === "described" ? "moved" : 1436);
    }
  });

  it("keeps a moved hostname for exactly 7 days", () => {
    const made = worldOfDns();
    const id = create(made);
    made.wait(total + 7 * DAY - 0.001);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("moved");
    made.wait(0.001);
    expect(code(made.zone("GET", `${BASE}/${id}`))).toBe(1436);
  });
});

describe("moving", () => {
  function moved(behaviour: "described" | "public"): { made: World; id: string } {
    const made = world({}, { behaviour });
    const id = create(made);
    made.wait(120);
    made.admin.setDns(NAME, { cname: "elsewhere.net" });
    made.wait(3600);
    return { made, id };
  }

  it("happens once DNS points elsewhere", () => {
    const { made, id } = moved("described");
    const answer = made.zone("GET", `${BASE}/${id}`);
    expect(statuses(answer)).toEqual(["moved", "active"]);
    expect(at(answer, "result.verification_errors.0")).toBe("custom hostname does not CNAME to this zone.");
  });

  it("ends by a PATCH once DNS is back: at once as described, through pending as published", () => {
    for (const behaviour of ["described", "public"] as const) {
      const { made, id } = moved(behaviour);
      made.admin.setDns(NAME, { cname: "edge.saas.net" });
      const edited = made.zone("PATCH", `${BASE}/${id}`, { ssl: { method: "http", type: "dv" } });
      expect(at(edited, "result.status")).toBe(behaviour === "described" ? "active" : "pending");
      made.wait(60);
      expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("active");
    }
  });

  it("does not end without a PATCH, even if DNS is back", () => {
    const { made, id } = moved("described");
    made.admin.setDns(NAME, { cname: "edge.saas.net" });
    made.wait(DAY);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("moved");
  });
});

describe("a held zone", () => {
  it("blocks only if the hold also covers subdomains", () => {
    for (const held of ["zone", "subdomains"] as const) {
      const made = worldOfDns();
      made.admin.setDns("customer.net", { held });
      made.admin.setDns(NAME, { cname: "edge.saas.net" });
      const id = create(made);
      made.wait(120);
      const answer = made.zone("GET", `${BASE}/${id}`);
      expect(at(answer, "result.status")).toBe(held === "zone" ? "active" : "blocked");
      const errors = at(answer, "result.verification_errors");
      expect(errors).toEqual(held === "zone" ? undefined : [HELD]);
    }
  });

  it("after its release: active by itself as described, only after a PATCH as published", () => {
    for (const behaviour of ["described", "public"] as const) {
      const made = worldOfDns(behaviour);
      made.admin.setDns("customer.net", { held: "subdomains" });
      made.admin.setDns(NAME, { cname: "edge.saas.net" });
      const id = create(made);
      made.wait(120);
      made.admin.setDns("customer.net", undefined);
      made.wait(DAY);
      const status = at(made.zone("GET", `${BASE}/${id}`), "result.status");
      expect(status).toBe(behaviour === "described" ? "active" : "blocked");
      made.zone("PATCH", `${BASE}/${id}`, { ssl: { method: "http", type: "dv" } });
      made.wait(60);
      expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("active");
    }
  });
});

describe("the certificate authority", () => {
  const ssl = { method: "http", type: "dv" };

  it("is google by default, lets_encrypt if CAA blocks google", () => {
    for (const [caa, expected] of [
      [[], "google"],
      [['0 issue "letsencrypt.org"'], "lets_encrypt"],
    ] as const) {
      const made = worldOfDns();
      made.admin.setDns(NAME, { cname: "edge.saas.net" });
      made.admin.setDns("customer.net", { caa: [...caa] });
      const id = create(made, { ssl: { ...ssl, certificate_authority: "" } });
      made.wait(120);
      expect(at(made.zone("GET", `${BASE}/${id}`), "result.ssl.certificate_authority")).toBe(expected);
    }
  });

  it("blocked by CAA: caa_error in the status as described, only the text as published", () => {
    for (const behaviour of ["described", "public"] as const) {
      const made = worldOfDns(behaviour);
      made.admin.setDns(NAME, { cname: "edge.saas.net", caa: ['0 issue "pki.goog"'] });
      const id = create(made, { ssl: { ...ssl, certificate_authority: "lets_encrypt" } });
      made.wait(120);
      const answer = made.zone("GET", `${BASE}/${id}`);
      expect(statuses(answer)).toEqual([behaviour === "described" ? "caa_error" : "active", "pending_issuance"]);
      expect(at(answer, "result.ssl.validation_errors")).toEqual([{ message: `caa_error: ${NAME}` }]);
      made.admin.setDns(NAME, { cname: "edge.saas.net", caa: ['0 issue "letsencrypt.org"'] });
      made.wait(600);
      expect(statuses(made.zone("GET", `${BASE}/${id}`))).toEqual(["active", "active"]);
    }
  });

  it("re-issues with a new certificate when it changes, but not if it is the one that issued", () => {
    const made = world();
    const id = create(made);
    made.wait(120);
    const first = text(made.zone("GET", `${BASE}/${id}`), "result.ssl.id");
    const patch = (authority: string): Answer =>
      made.zone("PATCH", `${BASE}/${id}`, { ssl: { ...ssl, certificate_authority: authority } });
    expect(statuses(patch("google"))).toEqual(["active", "active"]);
    const changed = patch("lets_encrypt");
    expect(statuses(changed)).toEqual(["active", "initializing"]);
    expect(at(changed, "result.ssl.id")).not.toBe(first);
    made.wait(120);
    const answer = made.zone("GET", `${BASE}/${id}`);
    expect([at(answer, "result.ssl.certificate_authority"), at(answer, "result.ssl.issuer")]).toEqual([
      "lets_encrypt",
      "LetsEncrypt",
    ]);
    expect(at(patch(""), "result.ssl.status")).toBe("initializing");
    made.wait(120);
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.ssl.certificate_authority")).toBe("google");
  });
});

describe("PATCH", () => {
  it("restarts an unfinished validation, with new records", () => {
    const made = worldOfDns();
    const id = create(made, { ssl: { method: "txt", type: "dv" } });
    made.wait(10);
    const value = (): unknown => at(made.zone("GET", `${BASE}/${id}`), "result.ssl.validation_records.0.txt_value");
    const before = value();
    expect(at(made.zone("PATCH", `${BASE}/${id}`, { ssl: { method: "txt", type: "dv" } }), "result.ssl.status")).toBe(
      "initializing",
    );
    made.wait(10);
    expect(value()).not.toBe(before);
  });

  it("keeps what it does not contain, but replaces settings as a whole", () => {
    const made = world();
    const ssl = { method: "http", type: "dv" };
    const settings = { min_tls_version: "1.2", http2: "on" };
    const created = made.zone("POST", BASE, {
      hostname: NAME,
      ssl: { ...ssl, certificate_authority: "lets_encrypt", settings },
    });
    const path = `${BASE}/${text(created, "result.id")}`;
    made.wait(120);
    const edited = made.zone("PATCH", path, { ssl: { ...ssl, settings: { min_tls_version: "1.3" } } });
    expect(at(edited, "result.ssl.settings")).toEqual({ min_tls_version: "1.3" });
    expect(at(edited, "result.ssl.certificate_authority")).toBe("lets_encrypt");
    expect(at(edited, "result.ssl.status")).toBe("active");
    made.wait(10);
    expect(statuses(made.zone("GET", path))).toEqual(["active", "active"]);
  });

  it("needs method and type (1440), and renames nothing (1439)", () => {
    const made = world();
    const path = `${BASE}/${create(made)}`;
    expect(code(made.zone("PATCH", path, { ssl: { certificate_authority: "google" } }))).toBe(1440);
    for (const half of [{ method: "txt" }, { type: "dv" }])
      expect(code(made.zone("PATCH", path, { ssl: { certificate_authority: "google", ...half } }))).toBe(1440);
    const renamed = made.zone("PATCH", path, { hostname: "other.customer.net" });
    expect([renamed.status, code(renamed)]).toEqual([409, 1439]);
  });

  it("removes an origin and metadata without touching the certificate", () => {
    const made = world({
      custom_hostnames: [{ hostname: NAME, custom_origin_server: "origin2.saas.net", custom_metadata: { a: "b" } }],
    });
    const path = `${BASE}/${text(made.zone("GET", BASE), "result.0.id")}`;
    const edited = made.zone("PATCH", path, { custom_origin_server: null, custom_metadata: {} });
    expect(at(edited, "result")).not.toHaveProperty("custom_origin_server");
    expect(at(edited, "result")).not.toHaveProperty("custom_metadata");
    expect(statuses(edited)).toEqual(["active", "active"]);
  });
});

describe("renewal", () => {
  it("is automatic while DNS points here; otherwise the certificate expires after its 90 days", () => {
    const stays = world({ custom_hostnames: [{ hostname: NAME }] });
    const serial = (): unknown => at(stays.zone("GET", BASE), "result.0.ssl.serial_number");
    const before = serial();
    stays.wait(61 * DAY);
    expect(serial()).not.toBe(before);

    const leaves = world({ validation: "world", custom_hostnames: [{ hostname: NAME }] });
    leaves.wait(90 * DAY - 1);
    expect(at(leaves.zone("GET", BASE), "result.0.ssl.status")).toBe("pending_expiration");
    leaves.wait(1);
    expect(at(leaves.zone("GET", BASE), "result.0.ssl.status")).toBe("expired");
  });
});

describe("the fallback origin", () => {
  const PATH = `${BASE}/fallback_origin`;

  it("is 404 until it is set, active 2 seconds later, and its record cannot be deleted (1039)", () => {
    const made = world();
    expect(made.zone("GET", PATH).status).toBe(404);
    const put = made.zone("PUT", PATH, { origin: "fallback.saas.net" });
    expect(at(put, "result.status")).toBe("pending_deployment");
    made.wait(2);
    expect(at(made.zone("GET", PATH), "result.status")).toBe("active");
    const record = text(made.zone("GET", "/dns_records?name=fallback.saas.net"), "result.0.id");
    const refused = made.zone("DELETE", `/dns_records/${record}`);
    expect([refused.status, code(refused)]).toEqual([400, 1039]);
    expect(at(made.zone("DELETE", PATH), "result.status")).toBe("pending_deletion");
    made.wait(3);
    expect(made.zone("GET", PATH).status).toBe(404);
    expect(made.zone("DELETE", `/dns_records/${record}`).status).toBe(200);
  });

  it("has errors while its record is missing or not proxied, and none afterwards", () => {
    const made = world();
    made.zone("PUT", PATH, { origin: "origin2.saas.net" });
    made.wait(2);
    expect(at(made.zone("GET", PATH), "result.status")).toBe("pending_deployment");
    expect(at(made.zone("GET", PATH), "result.errors")).toHaveLength(2);
    const record = text(made.zone("GET", "/dns_records?name=origin2.saas.net"), "result.0.id");
    made.zone("PATCH", `/dns_records/${record}`, { proxied: true });
    made.wait(2);
    expect(at(made.zone("GET", PATH), "result")).toMatchObject({ status: "active", errors: [] });
  });
});

describe("Total TLS", () => {
  it("answers 1467 when nothing changes", () => {
    const made = world();
    const post = (body: { enabled: boolean; certificate_authority?: string }): Answer =>
      made.zone("POST", "/acm/total_tls", body);
    expect(post({ enabled: true, certificate_authority: "google" }).status).toBe(200);
    expect(code(post({ enabled: true, certificate_authority: "google" }))).toBe(1467);
    expect(code(post({ enabled: true }))).toBe(1467);
    expect(post({ enabled: true, certificate_authority: "ssl_com" }).status).toBe(200);
  });
});

describe("a world with a stopped clock", () => {
  it("gives the same bytes for the same seed and the same requests", () => {
    const play = (): string[] => {
      const made = world({ generate: [{ count: 3, pattern: "a{n}.customer.net" }] });
      create(made);
      made.wait(100);
      return [made.zone("GET", BASE).raw.body, JSON.stringify(made.zone("GET", BASE).headers)];
    };
    expect(play()).toEqual(play());
    expect(ZONE_ID).toHaveLength(32);
  });
});
