import { describe, expect, it } from "vitest";
import type { Certificate } from "../../../../lib/engine/certificates/certificate.ts";
import { chainOf } from "../../../../lib/engine/certificates/audit.ts";

const BASE: Certificate = {
  kind: "custom_hostname",
  id: "1",
  hosts: ["app.customer.net"],
  status: "active",
  chosen: "lets_encrypt",
  issuing: "lets_encrypt",
  bundling: "managed",
  since: "2024-04-01T00:00:00Z",
  verificationErrors: [],
  validationErrors: [],
};

function chainAt(date: string, certificate: Partial<Certificate> = {}): string {
  return chainOf({ ...BASE, ...certificate }, Date.parse(date));
}

describe("the chain of a managed certificate that was set to the legacy-chain CA", () => {
  it.each([
    ["2024-05-31", "cross-signed"],
    ["2024-06-01", "cross-signed"],
    ["2024-09-08", "cross-signed"],
    ["2024-09-09", "cross-signed"],
    ["2024-09-29", "cross-signed"],
    ["2024-09-29T23:59:59Z", "cross-signed"],
    ["2024-09-30", "self-signed"],
    ["2024-10-01", "self-signed"],
  ])("on %s is the %s one", (date, chain) => {
    expect(chainAt(date)).toBe(chain);
  });

  it.each([
    ["2024-09-08T23:59:59Z", "cross-signed"],
    ["2024-09-09T00:00:00Z", "self-signed"],
    ["2024-09-10T00:00:00Z", "self-signed"],
  ])("issued at %s is the %s one", (since, chain) => {
    expect(chainAt("2024-09-20", { since })).toBe(chain);
  });
});

describe("the automatic switch of June 2024", () => {
  it.each(["custom_hostname", "advanced", "universal"] as const)(
    "takes the legacy chain off a %s that nobody set to it",
    (kind) => {
      const certificate = { kind, chosen: "default" };
      expect(chainAt("2024-05-31T23:59:59Z", certificate)).toBe("cross-signed");
      expect(chainAt("2024-06-01T00:00:00Z", certificate)).toBe("switched");
    },
  );

  it("passes over what was set to that CA, and over Total TLS", () => {
    expect(chainAt("2024-06-02")).toBe("cross-signed");
    expect(chainAt("2024-06-02", { kind: "total_tls", chosen: "default" })).toBe("cross-signed");
  });

  it("passes over what nobody knows the choice of", () => {
    const { chosen: _chosen, ...unknown } = BASE;
    expect(chainOf(unknown, Date.parse("2024-06-02"))).toBe("cross-signed");
  });

  it("passes over what the service issued by that CA afterwards", () => {
    expect(chainAt("2024-06-03", { chosen: "default", since: "2024-06-02T00:00:00Z" })).toBe("cross-signed");
  });
});

describe("the chain of an upload", () => {
  it.each(["ubiquitous", "optimal"] as const)(
    "bundled as %s before 2024-09-09 stays cross-signed until that expires",
    (bundling) => {
      const upload = { kind: "custom", bundling, since: "2024-09-08T23:59:59Z" } as const;
      expect(["2024-09-09", "2024-09-29", "2024-09-30", "2024-10-01"].map((date) => chainAt(date, upload))).toEqual([
        "cross-signed",
        "cross-signed",
        "self-signed",
        "self-signed",
      ]);
    },
  );

  it.each(["ubiquitous", "optimal"] as const)("bundled as %s on 2024-09-09 has the self-signed root", (bundling) => {
    expect(chainAt("2024-09-09", { kind: "custom", bundling, since: "2024-09-09T00:00:00Z" })).toBe("self-signed");
  });

  it("that is user-defined is what was uploaded, at any date", () => {
    const upload = { kind: "custom", bundling: "force" } as const;
    for (const date of ["2024-05-31", "2024-09-09", "2024-09-30", "2026-01-01"])
      expect(chainAt(date, upload)).toBe("as-uploaded");
  });
});

describe("a certificate that the change does not touch", () => {
  it("has its CA's own chain", () => {
    expect(chainAt("2024-10-01", { issuing: "google", chosen: "lets_encrypt" })).toBe("own");
  });

  it("has no chain before it is issued", () => {
    const { issuing: _issuing, since: _since, ...ordered } = BASE;
    expect(chainOf(ordered, Date.parse("2024-10-01"))).toBe("none");
    expect(chainAt("2024-03-31T23:59:59Z")).toBe("none");
  });
});
