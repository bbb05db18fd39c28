import { describe, expect, test } from "vitest";
import { certificate, letsEncrypt, type Pem } from "../../support/x509.ts";
import { faults, loadZone } from "./project.ts";

const ISSUER = ["Own", "Own CA"] as const;
const APP = certificate({ subject: "app.customer.net", issuer: ISSUER, sans: ["app.customer.net"] });
const RSA = certificate({ subject: "app.customer.net", issuer: ISSUER, sans: ["app.customer.net"], keyType: "rsa" });
const WILDCARD = certificate({ subject: "customer.net", issuer: ISSUER, sans: ["*.Customer.net", "other.net"] });
const AUTHORITY = certificate({ subject: "Other CA", issuer: ["Other", "Root"], isAuthority: true });

/** The line of the certificate in the zone file, and that of its key. */
const [CERTIFICATE_LINE, KEY_LINE] = [8, 9];

/** What is wrong with a zone that uploads a certificate, as `code line`. */
async function problemsOf(hostname: string, upload: Pem, more = ""): Promise<readonly string[]> {
  const body = `custom_hostnames:
  lifecycle: zoneform
  entries:
    - hostname: "${hostname}"
      ssl:
        custom_certificate: { env: OWN_CERTIFICATE }
        custom_key: { env: OWN_KEY }
        method: txt
${more}`;
  const loaded = await loadZone(body, {}, { env: { OWN_CERTIFICATE: upload.certificate, OWN_KEY: upload.key } });
  return faults(loaded).map(({ code, at }) => `${code} ${at?.line}`);
}

describe("an uploaded certificate", () => {
  test.each([
    ["app.customer.net", APP],
    ["app.customer.net", RSA],
    ["any.customer.net", WILDCARD],
    ["*.customer.net", WILDCARD],
    ["other.net", WILDCARD],
    ["app.customer.net", letsEncrypt("app.customer.net", "cross-signed")],
  ])("for %s is fine where the hostname is among its names and the key is its own", async (hostname, upload) => {
    expect(await problemsOf(hostname, upload)).toEqual([]);
  });

  test.each([
    ["www.customer.net", APP],
    ["*.customer.net", APP],
    ["a.b.customer.net", WILDCARD],
    ["customer.net", WILDCARD],
    ["*.b.customer.net", WILDCARD],
  ])("for another hostname than %s is an error at its place", async (hostname, upload) => {
    expect(await problemsOf(hostname, upload)).toEqual([`certificate-other-hostname ${CERTIFICATE_LINE}`]);
  });

  test("with a key that is not its own is an error at the key's place", async () => {
    const mixed = { certificate: APP.certificate, key: RSA.key };
    expect(await problemsOf("app.customer.net", mixed)).toEqual([`certificate-other-key ${KEY_LINE}`]);
  });

  test("is read, and so is its key; all errors come at once and show nothing of either", async () => {
    const broken = APP.certificate.replace(/\n[^-]{20}/, "\nAAAA");
    expect(await problemsOf("app.customer.net", { certificate: broken, key: "no key" })).toEqual([
      `certificate-unreadable ${CERTIFICATE_LINE}`,
      `key-unreadable ${KEY_LINE}`,
    ]);
    expect(await problemsOf("app.customer.net", { certificate: "none", key: APP.key })).toEqual([
      `certificate-unreadable ${CERTIFICATE_LINE}`,
    ]);
  });

  test("may come before or behind its chain; whether the chain is right, the service says", async () => {
    const front = letsEncrypt("app.customer.net", "self-signed");
    const [leaf = "", above = ""] = front.certificate.split(/(?<=END CERTIFICATE-----\n)/);
    expect(await problemsOf("app.customer.net", { certificate: above + leaf, key: front.key })).toEqual([]);
    expect(await problemsOf("www.customer.net", { certificate: above + leaf, key: front.key })).toEqual([
      `certificate-other-hostname ${CERTIFICATE_LINE}`,
    ]);
    const mixed = { certificate: APP.certificate + AUTHORITY.certificate, key: APP.key };
    expect(await problemsOf("app.customer.net", mixed)).toEqual([]);
    expect(await problemsOf("app.customer.net", AUTHORITY)).toEqual([]);
  });

  test("of a bundle is checked as well, each with its key", async () => {
    const pair = (certificate: string, key: string): string =>
      `{ custom_certificate: { env: ${certificate} }, custom_key: { env: ${key} } }`;
    const body = `custom_hostnames:
  lifecycle: zoneform
  entries:
    - hostname: app.customer.net
      ssl: { method: txt, custom_cert_bundle: [${pair("A_C", "B_K")}, ${pair("B_C", "B_K")}] }
`;
    const env = { A_C: APP.certificate, B_C: RSA.certificate, B_K: RSA.key };
    expect(faults(await loadZone(body, {}, { env })).map(({ code }) => code)).toEqual(["certificate-other-key"]);
  });

  test("of a policy is one error, however many hostnames it is not for", async () => {
    const entries = Array.from({ length: 50 }, (_each, index) => `    - hostname: a${index}.customer.org\n`).join("");
    const body = `custom_hostnames:
  lifecycle: zoneform
  policies:
    - name: own
      set: { ssl: { method: txt, custom_certificate: { env: C }, custom_key: { env: K } } }
  entries:
${entries}`;
    const found = faults(await loadZone(body, {}, { env: { C: APP.certificate, K: APP.key } }));
    expect(found.map(({ code, at }) => [code, at?.line])).toEqual([["certificate-other-hostname", 7]]);
    expect(found[0]?.message).toMatch(/not for a\d+\.customer\.org, and 49 more/);
  });
});
