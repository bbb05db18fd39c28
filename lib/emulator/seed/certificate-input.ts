import type { Members } from "../input.ts";
import { present, type SeedCustomCertificate, type SeedPack, type SeedZone } from "./shape.ts";

/** Reads `universal` of a zone. */
export function readUniversal(from: Members): SeedZone["universal"] {
  const universal = from.below("universal");
  if (universal === undefined) return undefined;
  const read = { enabled: universal.flag("enabled"), issued_by: universal.text("issued_by") };
  universal.done();
  return present(read);
}

/** Reads one of `certificate_packs`. */
export function readPack(from: Members): SeedPack {
  const pack = {
    hosts: from.texts("hosts"),
    certificate_authority: from.oneOf("certificate_authority", ["google", "lets_encrypt", "ssl_com"]),
    validity_days: from.count("validity_days"),
    issued_at: readTime(from, "issued_at"),
  };
  from.done();
  return present<SeedPack>(pack);
}

/** Reads one of `custom_certificates`. */
export function readCustomCertificate(from: Members): SeedCustomCertificate {
  const certificate = {
    hosts: from.texts("hosts") ?? [],
    certificate_authority: from.text("certificate_authority"),
    bundle_method: from.oneOf("bundle_method", ["ubiquitous", "optimal", "force"]),
    chain: from.oneOf("chain", ["cross-signed", "self-signed", "own"]),
    type: from.oneOf("type", ["legacy_custom", "sni_custom"]),
    uploaded_at: readTime(from, "uploaded_at"),
    expires_at: readTime(from, "expires_at"),
  };
  from.done();
  return present<SeedCustomCertificate>(certificate);
}

/** Reads a time, ISO 8601. */
export function readTime(from: Members, name: string): string | undefined {
  const text = from.text(name);
  if (text !== undefined && !(TIME.test(text) && Number.isFinite(Date.parse(text))))
    from.report(name, "is not an ISO 8601 time", "write it as 2026-11-21T08:00:00Z");
  return text;
}

/** A date, or a date with a time and its zone. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
