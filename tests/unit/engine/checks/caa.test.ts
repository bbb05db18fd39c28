import { describe, expect, it } from "vitest";
import type { CaaRecord } from "../../../../lib/core/dns.ts";
import { candidatesOf, type Coverage, issuerOf, verdictOn } from "../../../../lib/engine/checks/caa.ts";
import { climb } from "../../../../lib/engine/checks/names.ts";

function record(text: string): CaaRecord {
  const [, flags, tag = "", value = ""] = /^(\d+) (\w+) "(.*)"$/.exec(text) ?? [];
  return { flags: Number(flags), tag, value };
}

function verdict(choice: string, texts: readonly string[], covers: readonly Coverage[] = ["name"]): string {
  return verdictOn(choice, texts.map(record), covers);
}

describe("CAA records", () => {
  it.each([
    ["lets_encrypt", "letsencrypt.org"],
    ["google", "pki.goog"],
    ["ssl_com", "ssl.com"],
    ["sectigo", "sectigo.com"],
    ["digicert", "digicert.com"],
  ])("let %s issue where they name %s, and no other", (authority, issuer) => {
    expect(issuerOf(authority)).toBe(issuer);
    expect(verdict(authority, [`0 issue "${issuer}"`])).toBe("allowed");
    expect(verdict(authority, [`0 issue "not-${issuer}"`])).toBe("blocked");
    expect(verdict(authority, [`0 issue "other.net"`, `0 issue " ${issuer.toUpperCase()} "`])).toBe("allowed");
  });

  it("without issue allow every CA", () => {
    expect(verdict("google", [])).toBe("allowed");
    expect(verdict("google", ['0 iodef "mailto:security@customer.net"'])).toBe("allowed");
  });

  it("with an empty issue allow none", () => {
    expect(verdict("google", ['0 issue ";"'])).toBe("blocked");
    expect(verdict("google", ['0 issue ""'])).toBe("blocked");
    expect(verdict("google", ['0 issue ";"', '0 issue "pki.goog"'])).toBe("allowed");
  });

  it("are read without their parameters, as google's for signed exchanges", () => {
    expect(verdict("google", ['0 issue "pki.goog; cansignhttpexchanges=yes"'])).toBe("allowed");
  });

  it("that name accounts or methods leave it open whether the service's are meant", () => {
    const bound = '0 issue "letsencrypt.org; accounturi=https://acme.customer.net/1"';
    expect(verdict("lets_encrypt", [bound])).toBe("restricted");
    expect(verdict("lets_encrypt", ['0 issue "letsencrypt.org;validationmethods=dns-01"'])).toBe("restricted");
    expect(verdict("lets_encrypt", [bound, '0 issue "letsencrypt.org"'])).toBe("allowed");
    expect(verdict("google", [bound])).toBe("blocked");
  });

  it("decide about a wildcard by issuewild where there is one, else by issue", () => {
    const wild = ['0 issue "letsencrypt.org"', '0 issuewild "pki.goog"'];
    expect(verdict("google", wild, ["wildcard"])).toBe("allowed");
    expect(verdict("lets_encrypt", wild, ["wildcard"])).toBe("blocked");
    expect(verdict("lets_encrypt", wild, ["name"])).toBe("allowed");
    expect(verdict("lets_encrypt", ['0 issue "letsencrypt.org"'], ["wildcard"])).toBe("allowed");
    expect(verdict("google", ['0 issuewild ";"'], ["name"])).toBe("allowed");
    expect(verdict("google", ['0 issuewild ";"'], ["wildcard"])).toBe("blocked");
  });

  it("have to let both through where a certificate covers a name and what is below it", () => {
    const wild = ['0 issue "letsencrypt.org"', '0 issuewild "pki.goog"'];
    expect(verdict("google", wild, ["name", "wildcard"])).toBe("blocked");
    expect(verdict("lets_encrypt", wild, ["name", "wildcard"])).toBe("blocked");
  });

  it("with a tag that nobody knows block every CA only where they are critical", () => {
    expect(verdict("google", ['128 future "x"'])).toBe("blocked");
    expect(verdict("google", ['0 future "x"'])).toBe("allowed");
    expect(verdict("google", ['128 issue "pki.goog"'])).toBe("allowed");
  });

  it("block the default choice only where neither google nor lets_encrypt may issue", () => {
    expect(candidatesOf("default")).toEqual(["google", "lets_encrypt"]);
    expect(verdict("default", ['0 issue "pki.goog"'])).toBe("allowed");
    expect(verdict("default", ['0 issue "letsencrypt.org"'])).toBe("allowed");
    expect(verdict("default", ['0 issue "digicert.com"'])).toBe("blocked");
  });

  it("say nothing about a CA that zoneform does not know", () => {
    expect(verdict("some_new_ca", ['0 issue ";"'])).toBe("allowed");
  });
});

describe("the names that CAA is looked for at", () => {
  it("are the hostname and all above it, without the label of a wildcard", () => {
    expect(climb("app.eu.customer.net")).toEqual(["app.eu.customer.net", "eu.customer.net", "customer.net", "net"]);
    expect(climb("*.customer.net")).toEqual(["customer.net", "net"]);
  });
});
