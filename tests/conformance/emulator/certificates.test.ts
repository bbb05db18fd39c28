import { describe, expect, it } from "vitest";
import { parseSeed } from "../../../lib/emulator.ts";
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
import { countShown } from "../../support/shown.ts";

const BASE = "/ssl/certificate_packs";
const HOSTNAMES = "/custom_hostnames";
const DAY = 24 * 60 * 60;
const TRIES_SECONDS = Array.from({ length: 75 }, (_, n) =>
  Math.min(Math.floor(60 * (n < 10 ? 1.05 : 1.15) ** n), 14_400),
).reduce((sum, wait) => sum + wait, 0);

const ORDER = {
  type: "advanced",
  hosts: ["saas.net", "*.saas.net"],
  validation_method: "txt",
  validity_days: 90,
  certificate_authority: "google",
};

function order(made: World, more: { [key: string]: Json } = {}): Answer {
  return made.zone("POST", `${BASE}/order`, { ...ORDER, ...more });
}

function packs(made: World, query = "status=all"): Json[] {
  const result = at(made.zone("GET", `${BASE}?${query}`), "result");
  return Array.isArray(result) ? result : [];
}

function types(made: World, query?: string): unknown[] {
  return packs(made, query).map((pack) => `${text(pack, "type")} ${text(pack, "status")}`);
}

describe("advanced certificate packs", () => {
  it("pass all steps of a certificate until they are active", () => {
    const made = world();
    const created = order(made);
    expect([created.status, at(created, "result.status")]).toEqual([200, "initializing"]);
    expect(at(created, "result")).toMatchObject({
      type: "advanced",
      hosts: ORDER.hosts,
      validity_days: 90,
      certificates: [],
    });
    const path = `${BASE}/${text(created, "result.id")}`;
    const seen = [2, 58, 5, 5].map((seconds) => {
      made.wait(seconds);
      return at(made.zone("GET", path), "result.status");
    });
    expect(seen).toEqual(["pending_validation", "pending_issuance", "pending_deployment", "active"]);
    const pack = made.zone("GET", path);
    expect(at(pack, "result")).toMatchObject({ certificate_authority: "google", cloudflare_branding: false });
    expect(at(pack, "result.certificates.0")).toMatchObject({
      issuer: "GoogleTrustServices",
      hosts: ORDER.hosts,
      zone_id: ZONE_ID,
    });
    expect(at(pack, "result.primary_certificate")).toBe(at(pack, "result.certificates.0.id"));
  });

  it("are listed if active, and with status=all in any state", () => {
    const made = world();
    order(made);
    expect(types(made, "per_page=5")).toEqual(["universal active"]);
    expect(types(made)).toEqual(["universal active", "advanced initializing"]);
    expect(types(made, "deploy=staging&status=all")).toEqual([]);
  });

  it("disappear a while after they are deleted, and only once", () => {
    const made = world({ certificate_packs: [{}] });
    const id = text(packs(made)[1] ?? null, "id");
    expect(at(made.zone("DELETE", `${BASE}/${id}`), "result")).toEqual({ id });
    expect(at(made.zone("GET", `${BASE}/${id}`), "result.status")).toBe("pending_deletion");
    made.wait(5);
    const gone = made.zone("GET", `${BASE}/${id}`);
    expect([gone.status, code(gone)]).toEqual([404, 1408]);
  });

  it("count against a quota, and need the certificate manager (1450)", () => {
    const made = world({ grants: { certificate_packs: 1 } });
    expect(at(made.zone("GET", `${BASE}/quota`), "result")).toEqual({ advanced: { allocated: 1, used: 0 } });
    expect(order(made).status).toBe(200);
    expect(order(made).status).toBe(403);
    expect(at(made.zone("GET", `${BASE}/quota`), "result.advanced.used")).toBe(1);
    expect(code(order(world({ grants: { certificate_manager: false } })))).toBe(1450);
  });

  it("may have 50 hosts including the zone's own, not 51", () => {
    const hosts = (count: number): string[] => [
      "saas.net",
      ...Array.from({ length: count - 1 }, (_, n) => `h${n}.saas.net`),
    ];
    expect(order(world(), { hosts: hosts(50) }).status).toBe(200);
    expect(order(world(), { hosts: hosts(51) }).status).toBe(400);
    expect(order(world(), { hosts: ["www.saas.net"] }).status).toBe(400);
    expect(order(world(), { hosts: ["saas.net", "other.net"] }).status).toBe(400);
  });

  it.each([
    { type: "universal" },
    { validation_method: "cname" },
    { validation_method: "http" },
    { validity_days: 60 },
    { certificate_authority: "" },
    { certificate_authority: "lets_encrypt", validity_days: 14 },
  ])("refuse %j", (wrong) => {
    expect(order(world(), wrong).status).toBe(400);
  });

  it("time out if nobody answers the CA's e-mail, and restart by PATCH or by a retry", () => {
    const made = world();
    const path = `${BASE}/${text(order(made, { validation_method: "email" }), "result.id")}`;
    made.wait(TRIES_SECONDS - 1);
    expect(at(made.zone("GET", path), "result.status")).toBe("pending_validation");
    made.wait(1);
    expect(at(made.zone("GET", path), "result.status")).toBe("validation_timed_out");
    expect(at(made.zone("PATCH", path, {}), "result.status")).toBe("initializing");
    made.wait(TRIES_SECONDS);
    made.zone("GET", "/ssl/verification?retry=true");
    expect(at(made.zone("GET", path), "result.status")).toBe("initializing");
  });

  it("of a zone with external name servers need their records in the outside DNS", () => {
    const made = world();
    made.admin.setDns("saas.net", { elsewhere: true });
    const path = `${BASE}/${text(order(made, { hosts: ["saas.net"] }), "result.id")}`;
    made.wait(60);
    const pending = made.zone("GET", path);
    expect(at(pending, "result.status")).toBe("pending_validation");
    const record = "result.validation_records.0";
    made.admin.setDns(text(pending, `${record}.txt_name`), { txt: [text(pending, `${record}.txt_value`)] });
    made.wait(120);
    expect(at(made.zone("GET", path), "result.status")).toBe("active");
  });

  it("get branding by PATCH: the shared name becomes the common name, in a new certificate", () => {
    const made = world({ certificate_packs: [{}] });
    const path = `${BASE}/${text(packs(made)[1] ?? null, "id")}`;
    const before = at(made.zone("GET", path), "result.primary_certificate");
    const edited = made.zone("PATCH", path, { cloudflare_branding: true });
    expect(at(edited, "result")).toMatchObject({ status: "initializing", cloudflare_branding: true });
    expect(at(edited, "result.primary_certificate")).toBe(before);
    made.wait(120);
    expect(at(made.zone("GET", path), "result.certificates.0.hosts")).toEqual([
      "sni.cloudflaressl.com",
      ...ORDER.hosts,
    ]);
  });

  it("are blocked by CAA records of the zone itself, with the text that says so", () => {
    const made = world();
    made.zone("POST", "/dns_records", {
      type: "CAA",
      name: "saas.net",
      data: { flags: 0, tag: "issue", value: "letsencrypt.org" },
    });
    const path = `${BASE}/${text(order(made), "result.id")}`;
    made.wait(120);
    expect(at(made.zone("GET", path), "result")).toMatchObject({
      status: "pending_issuance",
      validation_errors: [{ message: "caa_error: saas.net" }],
    });
  });
});

describe("the universal certificate", () => {
  it("exists from the start, for the zone and one level below", () => {
    expect(packs(world())[0]).toMatchObject({ type: "universal", status: "active", hosts: ["saas.net", "*.saas.net"] });
  });

  it("can be turned off, through deactivating to inactive, and is issued again when turned on", () => {
    const made = world();
    const settings = "/ssl/universal/settings";
    expect(at(made.zone("GET", settings), "result")).toEqual({ enabled: true });
    made.zone("PATCH", settings, { enabled: false });
    expect(types(made)).toEqual(["universal deactivating"]);
    made.wait(5);
    expect(types(made)).toEqual(["universal inactive"]);
    made.zone("PATCH", settings, { enabled: true });
    made.wait(120);
    expect(types(made)).toEqual(["universal active"]);
  });

  it("is never deleted, and verified like every pack", () => {
    const made = world();
    const id = text(packs(made)[0] ?? null, "id");
    expect(made.zone("DELETE", `${BASE}/${id}`).status).toBe(409);
    expect(at(made.zone("GET", "/ssl/verification"), "result.0")).toMatchObject({
      cert_pack_uuid: id,
      certificate_status: "active",
    });
    const edited = made.zone("PATCH", `/ssl/verification/${id}`, { validation_method: "http" });
    expect(at(edited, "result")).toEqual({ status: "active", validation_method: "http" });
  });
});

describe("Total TLS", () => {
  const PATH = "/acm/total_tls";
  const DEEP = { type: "A", name: "a.b.saas.net", content: "192.0.2.7", proxied: true };

  it("issues for each proxied name that the universal certificate does not cover", () => {
    const made = world();
    made.zone("POST", "/dns_records", DEEP);
    made.zone("POST", "/dns_records", { ...DEEP, name: "c.d.saas.net", proxied: false });
    made.zone("POST", PATH, { enabled: true, certificate_authority: "lets_encrypt" });
    made.wait(120);
    const issued = packs(made).filter((pack) => at(pack, "type") === "total_tls");
    expect(issued).toHaveLength(1);
    expect(issued[0]).toMatchObject({
      hosts: ["a.b.saas.net"],
      status: "active",
      certificate_authority: "lets_encrypt",
    });
  });

  it("follows records that are created and deleted, and deletes its certificates when it is turned off", () => {
    const made = world({ total_tls: { enabled: true } });
    const id = text(made.zone("POST", "/dns_records", DEEP), "result.id");
    expect(types(made)).toEqual(["universal active", "total_tls initializing"]);
    made.zone("DELETE", `/dns_records/${id}`);
    expect(types(made)).toEqual(["universal active", "total_tls pending_deletion"]);
    made.wait(5);
    made.zone("POST", "/dns_records", DEEP);
    made.wait(120);
    made.zone("POST", PATH, { enabled: false });
    made.wait(5);
    expect(types(made)).toEqual(["universal active"]);
  });

  it("re-issues with another CA when its settings say so, and the old certificate serves meanwhile", () => {
    const made = world({
      total_tls: { enabled: true, certificate_authority: "lets_encrypt" },
      dns_records: [DEEP],
    });
    const deep = (): Json => packs(made).find((pack) => at(pack, "type") === "total_tls") ?? null;
    made.zone("POST", PATH, { enabled: true, certificate_authority: "google" });
    expect(deep()).toMatchObject({ status: "initializing", certificate_authority: "google" });
    expect(at(deep(), "certificates.0.issuer")).toBe("LetsEncrypt");
    made.wait(120);
    expect(at(deep(), "certificates.0.issuer")).toBe("GoogleTrustServices");
  });

  it("answers 1482 exactly as long as the last change is in progress", () => {
    const made = world({ dns_records: [DEEP] });
    const post = (enabled: boolean): Answer => made.zone("POST", PATH, { enabled, certificate_authority: "google" });
    expect(post(true).status).toBe(200);
    made.wait(11);
    expect(code(post(false))).toBe(1482);
    made.wait(1);
    expect(post(false).status).toBe(200);
  });
});

describe("the packs of custom hostnames", () => {
  const name = "app.customer.net";

  it("are listed as managed_hostname under the id of ssl", () => {
    const made = world({ custom_hostnames: [{ hostname: name }] });
    const id = text(made.zone("GET", HOSTNAMES), "result.0.ssl.id");
    const pack = made.zone("GET", `${BASE}/${id}`);
    expect(at(pack, "result")).toMatchObject({ id, type: "managed_hostname", status: "active", hosts: [name] });
    expect(made.zone("DELETE", `${BASE}/${id}`).status).toBe(409);
  });

  it("stay in pending_cleanup, and serve, until the replacement from another CA is live", () => {
    const made = world({ custom_hostnames: [{ hostname: name }] });
    const record = made.zone("GET", HOSTNAMES);
    const old = text(record, "result.0.ssl.id");
    const serial = text(record, "result.0.ssl.serial_number");
    made.zone("PATCH", `${HOSTNAMES}/${text(record, "result.0.id")}`, {
      ssl: { method: "http", type: "dv", certificate_authority: "lets_encrypt" },
    });
    expect(types(made)).toEqual([
      "universal active",
      "managed_hostname initializing",
      "managed_hostname pending_cleanup",
    ]);
    expect(at(made.zone("GET", HOSTNAMES), "result.0.ssl.serial_number")).toBe(serial);
    expect(at(made.zone("GET", `${BASE}/${old}`), "result.certificates.0.issuer")).toBe("GoogleTrustServices");
    made.wait(120);
    expect(types(made)).toEqual(["universal active", "managed_hostname active"]);
    expect(code(made.zone("GET", `${BASE}/${old}`))).toBe(1408);
  });

  it("are filtered by the issuing CA, whatever was chosen since", () => {
    const made = world({ custom_hostnames: [{ hostname: name }] });
    const count = (authority: string): unknown =>
      at(made.zone("GET", `${HOSTNAMES}?certificate_authority=${authority}`), "result_info.total_count");
    const path = `${HOSTNAMES}/${text(made.zone("GET", HOSTNAMES), "result.0.id")}`;
    made.zone("PATCH", path, { ssl: { method: "http", type: "dv", certificate_authority: "lets_encrypt" } });
    expect([count("google"), count("lets_encrypt")]).toEqual([1, 0]);
    made.wait(120);
    expect([count("google"), count("lets_encrypt")]).toEqual([0, 1]);
  });

  it("have the shared name as common name with branding, and the long name as another name", () => {
    const made = world();
    const long = `${"a".repeat(60)}.customer.net`;
    made.zone("POST", HOSTNAMES, hostnameBody(long, { cloudflare_branding: true }));
    made.wait(120);
    expect(at(made.zone("GET", HOSTNAMES), "result.0.ssl.hosts")).toEqual(["sni.cloudflaressl.com", long]);
    const chain = made.admin.chains(ZONE_ID).find((one) => one["kind"] === "custom_hostname");
    expect(chain).toMatchObject({ common_name: "sni.cloudflaressl.com" });
  });

  it("are validated by delegation, with one CNAME as the customer's only record", () => {
    const made = world({ validation: "world", fallback_origin: "fallback.saas.net" });
    made.zone("POST", HOSTNAMES, hostnameBody(name, { ssl: { method: "txt", type: "dv" } }));
    made.wait(2);
    const record = made.zone("GET", HOSTNAMES);
    const delegation = "result.0.ssl.dcv_delegation_records.0";
    made.admin.setDns(text(record, `${delegation}.cname`), { cname: text(record, `${delegation}.cname_target`) });
    made.wait(120);
    expect(at(made.zone("GET", HOSTNAMES), "result.0.ssl.status")).toBe("active");
  });

  it("cannot have TLS settings on a wildcard", () => {
    const made = world();
    const ssl = { method: "txt", type: "dv", wildcard: true };
    const created = made.zone("POST", HOSTNAMES, { hostname: name, ssl });
    expect(created.status).toBe(200);
    const settings = { min_tls_version: "1.2" };
    expect(code(made.zone("POST", HOSTNAMES, { hostname: `b.${name}`, ssl: { ...ssl, settings } }))).toBe(1434);
    const path = `${HOSTNAMES}/${text(created, "result.id")}`;
    expect(code(made.zone("PATCH", path, { ssl: { method: "txt", type: "dv", settings } }))).toBe(1434);
  });

  it("time out in issuance after 75 tries blocked by CAA, and restart by PATCH", () => {
    const made = world({ fallback_origin: "fallback.saas.net" });
    made.admin.setDns(name, { cname: "edge.saas.net", caa: ['0 issue "ssl.com"'] });
    const path = `${HOSTNAMES}/${text(made.zone("POST", HOSTNAMES, hostnameBody(name)), "result.id")}`;
    made.wait(60 + 5 + TRIES_SECONDS);
    expect(at(made.zone("GET", path), "result.ssl.status")).toBe("issuance_timed_out");
    const restarted = made.zone("PATCH", path, { ssl: { method: "http", type: "dv" } });
    expect(at(restarted, "result.ssl.status")).toBe("initializing");
  });

  it("say when CAA records cannot be looked up", () => {
    const made = world({ fallback_origin: "fallback.saas.net" });
    made.admin.setDns(name, { cname: "edge.saas.net" });
    made.admin.setDns("customer.net", { caa_servfail: true });
    made.zone("POST", HOSTNAMES, hostnameBody(name));
    made.wait(DAY);
    expect(at(made.zone("GET", HOSTNAMES), "result.0")).toMatchObject({
      status: "active",
      ssl: { status: "pending_issuance", validation_errors: [{ message: `SERVFAIL looking up CAA for ${name}` }] },
    });
  });
});

describe("a state that the lifecycle never reaches", () => {
  it("can be forced, and a PATCH restarts it", () => {
    const made = world({ custom_hostnames: [{ hostname: "app.customer.net" }] });
    for (const sslStatus of ["deployment_timed_out", "initializing_timed_out", "holding_deployment"] as const) {
      made.admin.forceHostname(ZONE_ID, "app.customer.net", { sslStatus });
      made.wait(DAY);
      expect(at(made.zone("GET", HOSTNAMES), "result.0.ssl.status")).toBe(sslStatus);
    }
    const path = `${HOSTNAMES}/${text(made.zone("GET", HOSTNAMES), "result.0.id")}`;
    made.zone("PATCH", path, { ssl: { method: "http", type: "dv" } });
    made.wait(120);
    expect(at(made.zone("GET", path), "result.ssl.status")).toBe("active");
    made.admin.forceHostname(ZONE_ID, "app.customer.net", { status: "test_failed" });
    expect(at(made.zone("GET", path), "result.status")).toBe("test_failed");
  });
});

describe("a snapshot", () => {
  it("contains packs, uploads, requests, notices and visitors, and the clock of all of them continues", () => {
    const zone = {
      certificate_packs: [{ certificate_authority: "lets_encrypt" }],
      custom_certificates: [{ hosts: ["a.saas.net"], chain: "cross-signed" as const, bundle_method: "force" as const }],
      hold: "subdomains" as const,
    };
    const made = world(zone, { startTime: "2024-05-25T00:00:00Z" });
    made.admin.setTraffic("saas.net", { impacted_clients: true });
    made.wait(8 * DAY);
    made.zone("DELETE", "/hold?hold_after=2024-06-30T00:00:00Z");
    const snapshot: ReturnType<typeof made.admin.snapshot> = JSON.parse(JSON.stringify(made.admin.snapshot()));
    const again = world({}, { snapshot });
    expect(again.admin.notices()).toEqual(made.admin.notices());
    expect(again.admin.notices()).toHaveLength(1);
    for (const one of [made, again]) one.wait(90 * DAY);
    expect(again.zone("GET", "/hold").body).toEqual(made.zone("GET", "/hold").body);
    expect(at(again.zone("GET", "/hold"), "result.hold")).toBe(true);
    expect(again.admin.chains(ZONE_ID)).toEqual(made.admin.chains(ZONE_ID));
    expect(again.zone("GET", `${BASE}?status=all`).body).toEqual(made.zone("GET", `${BASE}?status=all`).body);
  });
});

describe("a seed", () => {
  it("may be written as YAML, and its errors have a place", () => {
    const yaml = (lines: string): string => `tokens: [{ value: all, permissions: [DNS Read] }]
zones:
  - id: ${ZONE_ID}
    name: saas.net
    apex_addresses: [192.0.2.1]
    universal: { issued_by: lets_encrypt }
    certificate_packs: [{ certificate_authority: ssl_com, validity_days: 365 }]
${lines}
world: { traffic: { a.customer.net: { impacted_clients: true } } }`;
    const good = yaml("    custom_certificates: [{ hosts: [a.saas.net], uploaded_at: 2024-09-01T00:00:00Z }]");
    const made = world({}, { seed: parseSeed(good), startTime: "2024-09-02T00:00:00Z" });
    expect(made.admin.chains(ZONE_ID).map((one) => one["issuing_authority"])).toEqual([
      "lets_encrypt",
      "ssl_com",
      "lets_encrypt",
    ]);
    expect(made.call("GET", "/zones").status).toBe(403);
    expect(() => parseSeed(yaml("    certificate_packs2: []"))).toThrow("certificate_packs2");
    expect(() => parseSeed(good.replace("2024-09-01T00:00:00Z", "soon"))).toThrow("uploaded_at");
  });
});

describe("many certificates", () => {
  it("are listed 50 per page, each once: 10,000 on 200 pages, and a page builds only its own", () => {
    const made = world({ generate: [{ count: 9_999, pattern: "app{n}.customer.net" }] });
    const shown = countShown(made);
    const ids = new Set<unknown>();
    for (let page = 1; page <= 200; page++) {
      const answer = made.zone("GET", `${BASE}?status=all&per_page=50&page=${page}`);
      for (const pack of packsOf(answer)) ids.add(at(pack, "id"));
      expect(at(answer, "result_info.total_count")).toBe(10_000);
    }
    expect(ids.size).toBe(10_000);
    expect(shown()).toBe(9_999);
  });
});

function packsOf(answer: Answer): Json[] {
  const result = at(answer, "result");
  return Array.isArray(result) ? result : [];
}
