import { expect, it } from "vitest";
import { audit } from "../../../../lib/engine/certificates/audit.ts";
import type { Bundling, Certificate } from "../../../../lib/engine/certificates/certificate.ts";
import { flat } from "../../../support/text.ts";
import { auditText } from "../../../support/texts.ts";

const AT = "2024-08-01T00:00:00.000Z";
const ZONE = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };

function upload(host: string, bundling: Bundling, since = "2024-06-20T00:00:00Z"): Certificate {
  const told = { verificationErrors: [], validationErrors: [] };
  return {
    kind: "custom",
    id: host,
    hosts: [host],
    status: "active",
    issuing: "lets_encrypt",
    bundling,
    since,
    ...told,
  };
}

function textOf(...certificates: readonly Certificate[]): string {
  const audited = certificates.map((certificate) => audit(certificate, Date.parse(AT)));
  return auditText([{ zone: ZONE, audited }], AT, { colour: false, columns: 80 });
}

it("tells each upload with its own bundle method", () => {
  const text = textOf(upload("a.net", "ubiquitous"), upload("b.net", "optimal"), upload("c.net", "unknown"));
  expect(text).toMatch(/: a\.net\n +uploaded \(ubiquitous\)/);
  expect(text).toMatch(/: b\.net\n +uploaded \(optimal\)/);
  expect(text).toMatch(/: c\.net\n +uploaded \(bundle method not shown\)/);
});

it("does not call a certificate that is issued at a later date one that is not issued", () => {
  const text = textOf(upload("a.net", "ubiquitous", "2024-08-02T00:00:00Z"));
  expect(flat(text)).toContain("serves no chain on that date: it was issued later");
});
