import { verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { at, code, text, world, ZONE_ID, type Answer, type Json, type World } from "../../support/emulator.ts";
import { certificate, letsEncrypt, R3, readRequest, type Pem } from "../../support/x509.ts";

const HOSTNAMES = "/custom_hostnames";
const UPLOADS = "/custom_certificates";
const CSRS = "/custom_csrs";
const NAME = "app.customer.net";
const MISSING = "0d89c70d-ad9f-4843-b99f-6cc0252067e9";

function ssl({ certificate, key }: Pem): { [key: string]: Json } {
  return { method: "http", type: "dv", custom_certificate: certificate, custom_key: key };
}

function post(made: World, pem: Pem, hostname = NAME): Answer {
  return made.zone("POST", HOSTNAMES, { hostname, ssl: ssl(pem) });
}

describe("a certificate uploaded for a custom hostname", () => {
  it("goes straight to deployment, and shows its own names and issuer", () => {
    const made = world();
    const created = post(made, letsEncrypt(NAME, "self-signed"));
    expect(at(created, "result.ssl.status")).toBe("pending_deployment");
    made.wait(5);
    const shown = at(made.zone("GET", HOSTNAMES), "result.0.ssl");
    expect(shown).toMatchObject({
      status: "active",
      hosts: [NAME],
      issuer: "Let's Encrypt",
      signature: "ECDSAWithSHA256",
    });
    expect(shown).toMatchObject({ expires_on: "2034-01-01T00:00:00.000000Z" });
    expect(shown).not.toHaveProperty("custom_key");
    expect(shown).not.toHaveProperty("validation_records");
  });

  it.each(["described", "public"] as const)("needs neither a method nor a type, service as %s", (behaviour) => {
    const made = world({}, { behaviour });
    const { certificate, key } = letsEncrypt(NAME, "self-signed");
    const body = { hostname: NAME, ssl: { custom_certificate: certificate, custom_key: key } };
    expect(at(made.zone("POST", HOSTNAMES, body), "result.ssl.status")).toBe("pending_deployment");
    expect(code(made.zone("POST", HOSTNAMES, { hostname: `b.${NAME}`, ssl: {} }))).toBe(1440);
  });

  it("may cover the hostname with a wildcard", () => {
    const pem = certificate({ subject: "customer.net", issuer: R3, sans: ["*.customer.net"] });
    expect(post(world(), pem).status).toBe(200);
  });

  const good = letsEncrypt(NAME, "none");
  const other = certificate({ subject: NAME, issuer: R3, sans: [NAME], keyType: "rsa" });
  const authority = certificate({ subject: "R3", issuer: ["ISRG", "ISRG Root X1"], isAuthority: true });
  const stranger = certificate({ subject: "Y", issuer: ["Z", "Z"], isAuthority: true });

  it.each([
    ["no certificate", { certificate: "", key: good.key }, 1427],
    ["what is no certificate", { certificate: "text", key: good.key }, 1426],
    ["what is no key", { certificate: good.certificate, key: "text" }, 1428],
    ["the key of another", { certificate: good.certificate, key: other.key }, 1429],
    ["two leafs", { certificate: good.certificate + other.certificate, key: good.key }, 1444],
    ["no leaf", authority, 1445],
    ["another name", letsEncrypt("other.net", "none"), 1446],
    ["a weak signature", certificate({ subject: NAME, issuer: R3, sans: [NAME], hash: "sha1" }), 1447],
    ["a chain of another", { certificate: good.certificate + stranger.certificate, key: good.key }, 1441],
  ])("is refused with %s", (_what, pem, expected) => {
    const answer = post(world(), pem);
    expect([answer.status, code(answer)]).toEqual([400, expected]);
  });

  it("needs Enterprise as published, but any plan as described", () => {
    expect(post(world({ plan: "pro" }, { behaviour: "public" }), good).status).toBe(400);
    expect(post(world({ plan: "pro" }), good).status).toBe(200);
  });

  it("replaces a managed one by PATCH, and can be replaced by a managed one again", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME }] });
    const path = `${HOSTNAMES}/${text(made.zone("GET", HOSTNAMES), "result.0.id")}`;
    expect(at(made.zone("PATCH", path, { ssl: ssl(good) }), "result.ssl.issuer")).toBe("Let's Encrypt");
    made.wait(5);
    const back = made.zone("PATCH", path, { ssl: { method: "http", type: "dv" } });
    expect(at(back, "result.ssl.status")).toBe("initializing");
    made.wait(120);
    expect(at(made.zone("GET", path), "result.ssl")).toMatchObject({ status: "active", issuer: "GoogleTrustServices" });
  });
});

describe("a bundle of two certificates", () => {
  const rsa = letsEncrypt(NAME, "none", "rsa");
  const ecdsa = letsEncrypt(NAME, "none", "ecdsa");
  const pair = ({ certificate, key }: Pem): Json => ({ custom_certificate: certificate, custom_key: key });
  const bundled = (...pems: Pem[]): { [key: string]: Json } => ({
    hostname: NAME,
    ssl: { method: "http", type: "dv", custom_cert_bundle: pems.map(pair) },
  });

  function place(made: World, index: number): string {
    const record = made.zone("GET", HOSTNAMES);
    const [id, pack] = [text(record, "result.0.id"), text(record, "result.0.ssl.id")];
    const one = text(record, `result.0.ssl.certificates.${index}.id`);
    return `${HOSTNAMES}/${id}/certificate_pack/${pack}/certificates/${one}`;
  }

  it("has one RSA and one ECDSA certificate", () => {
    const made = world();
    expect(at(made.zone("POST", HOSTNAMES, bundled(rsa, ecdsa)), "result.ssl.certificates")).toHaveLength(2);
    expect(code(world().zone("POST", HOSTNAMES, bundled(rsa, rsa)))).toBe(1434);
  });

  it("is replaced one at a time, RSA only by RSA", () => {
    const made = world();
    made.zone("POST", HOSTNAMES, bundled(rsa, ecdsa));
    const path = place(made, 0);
    const wrong = made.zone("PUT", path, pair(ecdsa));
    expect([wrong.status, code(wrong)]).toEqual([409, 1439]);
    const kept = text(made.zone("GET", HOSTNAMES), "result.0.ssl.certificates.1.id");
    const replaced = made.zone("PUT", path, pair(rsa));
    expect(replaced.status).toBe(200);
    expect(at(replaced, "result.ssl.certificates.1.id")).toBe(kept);
    expect(code(made.zone("PUT", path, pair(rsa)))).toBe(1436);
  });

  it("can lose one of the two, with only an id as response, but never the last", () => {
    const made = world();
    made.zone("POST", HOSTNAMES, bundled(rsa, ecdsa));
    const path = place(made, 1);
    expect(made.zone("DELETE", path).body).toEqual({ id: path.split("/").at(-1) });
    expect(at(made.zone("GET", HOSTNAMES), "result.0.ssl.certificates")).toHaveLength(1);
    const last = made.zone("DELETE", place(made, 0));
    expect([last.status, code(last)]).toEqual([409, 1439]);
  });

  it("does not exist for a managed certificate", () => {
    const made = world({ custom_hostnames: [{ hostname: NAME }] });
    expect(code(made.zone("DELETE", place(made, 0)))).toBe(1439);
  });
});

describe("the zone's custom certificates", () => {
  const pem = letsEncrypt("www.saas.net", "self-signed");
  const body = (more: { [key: string]: Json } = {}): { [key: string]: Json } => ({
    certificate: pem.certificate,
    private_key: pem.key,
    ...more,
  });

  it("are uploaded: first pending, then active, and in the end expired", () => {
    const made = world({}, { startTime: "2033-12-31T00:00:00Z" });
    const created = made.zone("POST", UPLOADS, body({ geo_restrictions: { label: "eu" } }));
    expect(at(created, "result")).toMatchObject({
      status: "pending",
      type: "legacy_custom",
      bundle_method: "ubiquitous",
      hosts: ["www.saas.net"],
      issuer: "Let's Encrypt",
      geo_restrictions: { label: "eu" },
      zone_id: ZONE_ID,
      priority: 0,
    });
    const path = `${UPLOADS}/${text(created, "result.id")}`;
    made.wait(5);
    expect(at(made.zone("GET", path), "result.status")).toBe("active");
    made.wait(24 * 60 * 60);
    expect(at(made.zone("GET", path), "result.status")).toBe("expired");
  });

  it.each([
    [{ bundle_method: "all" }, 1449],
    [{ certificate: "" }, 1427],
    [{ certificate: "text" }, 1426],
    [{ private_key: "text" }, 1428],
    [{ custom_csr_id: MISSING }, 1431],
  ])("are refused with %j by %i", (wrong, expected) => {
    expect(code(world().zone("POST", UPLOADS, body(wrong)))).toBe(expected);
  });

  it("get a new id when an sni_custom one is edited, and keep it for a legacy_custom one", () => {
    const made = world();
    for (const type of ["sni_custom", "legacy_custom"] as const) {
      const id = text(made.zone("POST", UPLOADS, body({ type })), "result.id");
      const edited = made.zone("PATCH", `${UPLOADS}/${id}`, { bundle_method: "force" });
      expect(at(edited, "result.bundle_method")).toBe("force");
      expect(at(edited, "result.id") === id).toBe(type === "legacy_custom");
      expect(made.zone("GET", `${UPLOADS}/${id}`).status).toBe(type === "legacy_custom" ? 200 : 404);
    }
  });

  it("are listed by status and by priority, which can be set for several at once", () => {
    const made = world({ custom_certificates: [{ hosts: ["a.saas.net"] }, { hosts: ["b.saas.net"] }] });
    const ids = (query: string): unknown[] => {
      const result = at(made.zone("GET", `${UPLOADS}?${query}`), "result");
      return Array.isArray(result) ? result.map((one) => at(one, "id")) : [];
    };
    const [first, second] = ids("per_page=50");
    expect(ids("order=priority")).toEqual([second, first]);
    const certificates = [{ id: String(first), priority: 9 }];
    expect(at(made.zone("PUT", `${UPLOADS}/prioritize`, { certificates }), "result.0.id")).toBe(first);
    expect(ids("order=priority")).toEqual([first, second]);
    expect(ids("status=pending")).toEqual([]);
    expect(made.zone("PUT", `${UPLOADS}/prioritize`, { certificates: [{ id: MISSING, priority: 1 }] }).status).toBe(
      404,
    );
  });

  it("can be deleted only once", () => {
    const made = world({ custom_certificates: [{ hosts: ["a.saas.net"] }] });
    const id = text(made.zone("GET", UPLOADS), "result.0.id");
    expect(at(made.zone("DELETE", `${UPLOADS}/${id}`), "result")).toEqual({ id });
    expect(made.zone("DELETE", `${UPLOADS}/${id}`).status).toBe(404);
    expect([code(made.zone("GET", `${UPLOADS}/${id}`)), code(made.zone("GET", `${UPLOADS}/quota`))]).toEqual([
      1408, 7003,
    ]);
  });
});

describe("custom CSRs", () => {
  const SUBJECT = {
    country: "NL",
    state: "Noord-Holland",
    locality: "Amsterdam",
    organization: "Customer",
    common_name: NAME,
    sans: [NAME],
    key_type: "p256v1",
  };

  it("are created, shown without their key, listed and deleted, in the zone and the account", () => {
    const made = world();
    const account = text(made.call("GET", `/zones/${ZONE_ID}`), "result.account.id");
    for (const owner of [`/zones/${ZONE_ID}`, `/accounts/${account}`]) {
      const created = made.call("POST", `${owner}${CSRS}`, { ...SUBJECT, name: "one" });
      expect(at(created, "result")).toMatchObject({ ...SUBJECT, name: "one" });
      expect(created.raw.body).not.toContain("PRIVATE KEY");
      const path = `${owner}${CSRS}/${text(created, "result.id")}`;
      expect(at(made.call("GET", `${owner}${CSRS}`), "result_info.total_count")).toBe(1);
      expect(made.call("DELETE", path).status).toBe(200);
      const gone = made.call("GET", path);
      expect([gone.status, code(gone)]).toEqual([404, 1419]);
    }
  });

  it("are real requests: signed by the key that they contain, with the requested names", () => {
    for (const key_type of ["p256v1", "rsa2048"]) {
      const body = { ...SUBJECT, key_type, organizational_unit: "Edge team" };
      const request = readRequest(text(world().zone("POST", CSRS, body), "result.csr"));
      expect(verify("sha256", request.signed, request.publicKey, request.signature)).toBe(true);
      expect(request.signed.includes(NAME)).toBe(true);
      expect(request.signed.includes("Edge team")).toBe(true);
    }
  });

  it.each([
    [{ country: "" }, 1405],
    [{ state: "" }, 1406],
    [{ locality: "" }, 1407],
    [{ organization: "" }, 1408],
    [{ common_name: "" }, 1409],
    [{ common_name: "a".repeat(65) }, 1410],
    [{ sans: [] }, 1411],
    [{ sans: ["1.2.3.4"] }, 1412],
    [{ sans: ["büro.net"] }, 1413],
    [{ sans: ["a.test"] }, 1414],
    [{ sans: ["customer"] }, 1415],
    [{ sans: ["a.example.com"] }, 1416],
    [{ key_type: "rsa1024" }, 1417],
  ])("with %j are refused by %i", (wrong, expected) => {
    expect(code(world().zone("POST", CSRS, { ...SUBJECT, ...wrong }))).toBe(expected);
  });

  it("may have a common name of 64 characters", () => {
    expect(world().zone("POST", CSRS, { ...SUBJECT, common_name: "a".repeat(64) }).status).toBe(200);
  });

  it("have an id of 36 characters (1418)", () => {
    expect(code(world().zone("GET", `${CSRS}/nonsense`))).toBe(1418);
  });

  it("provide the key for an uploaded certificate, and then cannot be deleted (1420)", () => {
    const made = world();
    const csr = made.zone("POST", CSRS, SUBJECT);
    const id = text(csr, "result.id");
    const issued = certificate({
      subject: NAME,
      issuer: R3,
      sans: [NAME],
      publicKey: readRequest(text(csr, "result.csr")).publicKey,
    });
    const wanted = { method: "http", type: "dv", custom_certificate: issued.certificate, custom_csr_id: id };
    const created = made.zone("POST", HOSTNAMES, { hostname: NAME, ssl: wanted });
    expect(at(created, "result.ssl.custom_csr_id")).toBe(id);
    const refused = made.zone("DELETE", `${CSRS}/${id}`);
    expect([refused.status, code(refused)]).toEqual([409, 1420]);
    made.zone("DELETE", `${HOSTNAMES}/${text(created, "result.id")}`);
    expect(made.zone("DELETE", `${CSRS}/${id}`).status).toBe(200);
  });

  it("fit no other key (1429), and must exist (1431, 1430)", () => {
    const made = world();
    const id = text(made.zone("POST", CSRS, SUBJECT), "result.id");
    const create = (custom_csr_id: string): unknown => {
      const wanted = {
        method: "http",
        type: "dv",
        custom_certificate: letsEncrypt(NAME, "none").certificate,
        custom_csr_id,
      };
      return code(made.zone("POST", HOSTNAMES, { hostname: NAME, ssl: wanted }));
    };
    expect([create(id), create(MISSING), create("nonsense")]).toEqual([1429, 1431, 1430]);
  });
});
