import { describe, expect, it } from "vitest";
import { audit, type Audited } from "../../../../lib/engine/certificates/audit.ts";
import type { Certificate } from "../../../../lib/engine/certificates/certificate.ts";

const BASE: Certificate = {
  kind: "custom_hostname",
  id: "1",
  hosts: ["app.customer.net"],
  status: "active",
  issuing: "lets_encrypt",
  bundling: "managed",
  since: "2024-04-01T00:00:00Z",
  verificationErrors: [],
  validationErrors: [],
};

function on(date: string, certificate: Partial<Certificate>): Audited {
  return audit({ ...BASE, ...certificate }, Date.parse(date));
}

describe("the audit of a certificate of the legacy-chain CA", () => {
  it.each([
    ["universal", { kind: "universal", chosen: "default" }, "switches it", undefined],
    ["custom hostname set to it", { chosen: "lets_encrypt" }, "sends a notice", "ssl.certificate_authority"],
    ["advanced set to it", { kind: "advanced", chosen: "lets_encrypt" }, "sends a notice", "order a pack"],
    ["custom hostname that nobody set", { chosen: "default" }, "switches it", undefined],
    ["custom hostname of which nobody knows", {}, "unless this one was chosen", "in a policy"],
    ["custom hostname set to another one since", { chosen: "google" }, "next one with google", undefined],
    ["Total TLS", { kind: "total_tls", chosen: "lets_encrypt" }, "never changes it", "total_tls.certificate_authority"],
    [
      "the setting of Total TLS",
      { kind: "total_tls_setting", chosen: "lets_encrypt" },
      "never changes it",
      "total_tls.certificate_authority",
    ],
    ["a compatible upload", { kind: "custom", bundling: "ubiquitous" }, "until 2024-09-30", "renew it"],
    ["a modern upload", { kind: "custom", bundling: "optimal" }, "until 2024-09-30", "renew it"],
    ["an upload of a hostname", { bundling: "ubiquitous" }, "until 2024-09-30", "renew it"],
    ["a user-defined upload", { kind: "custom", bundling: "force" }, "the uploaded chain", "before 2024-09-30"],
  ] as const)("of kind: %s", (_case, certificate, service, owner) => {
    const audited = on("2024-05-01", certificate);
    expect(audited.service).toContain(service);
    if (owner === undefined) expect(audited.owner).toBeUndefined();
    else expect(audited.owner).toContain(owner);
    expect(audited.isWarning).toBe(false);
  });

  it.each([
    ["universal, as of 2024-07-01", "2024-07-01", { kind: "universal" }, "switched it"],
    ["custom hostname that nobody set, as of 2024-07-01", "2024-07-01", { chosen: "default" }, "switched it"],
    ["custom hostname set to it, as of 2024-07-01", "2024-07-01", { chosen: "lets_encrypt" }, "sent a notice"],
    [
      "custom hostname set to it, as of 2024-10-01",
      "2024-10-01",
      { chosen: "lets_encrypt" },
      "served the cross-signed chain until 2024-09-30",
    ],
    [
      "upload, as of 2024-10-01",
      "2024-10-01",
      { kind: "custom", bundling: "optimal" },
      "served the cross-signed chain",
    ],
  ] as const)("tells what is past as past: %s", (_case, date, certificate, service) => {
    const audited = on(date, certificate);
    expect(audited.service).toContain(service);
    expect(audited.service).not.toMatch(/switches|sends/);
  });

  it("says nothing of the dates to a certificate that was issued after them", () => {
    const { service } = on("2026-01-01", { chosen: "lets_encrypt", since: "2025-11-01T00:00:00Z" });
    expect(service).toBe("leaves the CA as it is; serves the self-signed root");
    const unknown = on("2026-01-01", { since: "2025-11-01T00:00:00Z" });
    expect(unknown.service).not.toContain("2024");
  });

  it("wants nothing for an upload since 2024-09-09", () => {
    const upload = { kind: "custom", bundling: "optimal" } as const;
    expect(on("2024-10-01", { ...upload, since: "2024-09-09T00:00:00Z" }).owner).toBeUndefined();
    expect(on("2024-10-01", { ...upload, since: "2024-09-08T23:59:59Z" }).owner).toBeDefined();
  });

  it("wants CAA records where the service fell back to it after the switch", () => {
    expect(on("2024-07-01", { chosen: "default", since: "2024-06-15T00:00:00Z" }).owner).toContain("pki.goog");
  });
});

describe("the warning about a user-defined upload", () => {
  const upload = { kind: "custom", bundling: "force" } as const;

  it.each([
    ["2024-09-29T23:59:59Z", false],
    ["2024-09-30", true],
    ["2024-10-01", true],
  ])("of before on %s: %s", (date, isWarning) => {
    expect(on(date, { ...upload, since: "2024-09-01T00:00:00Z" }).isWarning).toBe(isWarning);
  });

  it("tells an upload after 2024-09-30 from one before", () => {
    const after = on("2024-10-02", { ...upload, since: "2024-10-01T00:00:00Z" });
    const before = on("2024-10-02", { ...upload, since: "2024-09-29T00:00:00Z" });
    expect(after.isWarning && before.isWarning).toBe(true);
    expect(after.owner).toContain("uploaded after");
    expect(before.owner).not.toContain("uploaded after");
  });

  it("is not given for another CA", () => {
    expect(on("2024-10-01", { ...upload, issuing: "digicert" })).toMatchObject({ isWarning: false, chain: "own" });
  });
});

it("a certificate of another CA wants nothing of anybody", () => {
  const audited = on("2024-10-01", { issuing: "google", chosen: "default" });
  expect(audited.owner).toBeUndefined();
  expect(audited.service).toContain("leaves it as it is");
});

it("does not promise a CA that the YAML only wishes for, nor speak of one that is not known", () => {
  expect(on("2026-01-01", { chosen: "google", isUnsent: true }).service).toContain("once that is applied");
  expect(on("2026-01-01", { chosen: "google" }).service).not.toContain("applied");
  const { issuing: _issuing, since: _since, ...ordered } = BASE;
  expect(audit(ordered, Date.parse("2026-01-01")).service).toBe("has not issued it yet");
});

it("a certificate that is going to be issued by that CA counts", () => {
  const { issuing: _issuing, since: _since, ...ordered } = BASE;
  expect(audit({ ...ordered, chosen: "lets_encrypt" }, Date.parse("2024-10-01")).owner).toBeDefined();
});
