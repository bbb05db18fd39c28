import { describe, expect, it } from "vitest";
import { authorityOf, covers } from "../../../../lib/engine/certificates/certificate.ts";

describe("the CA behind an issuer", () => {
  it.each([
    ["LetsEncrypt", "lets_encrypt"],
    ["C=US, O=Let's Encrypt, CN=R3", "lets_encrypt"],
    ["GoogleTrustServices", "google"],
    ["Google Trust Services LLC", "google"],
    ["SSLCorporation", "ssl_com"],
    ["SSL.com", "ssl_com"],
    ["DigiCertInc", "digicert"],
    ["Sectigo Limited", "sectigo"],
    ["Our Own CA", "Our Own CA"],
  ])("of %s is %s", (issuer, authority) => {
    expect(authorityOf(issuer)).toBe(authority);
  });
});

describe("the names of a certificate", () => {
  it.each([
    [["app.customer.net"], "app.customer.net", true],
    [["*.customer.net"], "app.customer.net", true],
    [["*.customer.net"], "a.app.customer.net", false],
    [["*.customer.net"], "customer.net", false],
    [["other.net", "app.customer.net"], "app.customer.net", true],
  ])("%j cover %s: %s", (hosts, hostname, isCovered) => {
    expect(covers(hosts, hostname)).toBe(isCovered);
  });
});
