import { InputError, members, type Members } from "../input.ts";
import type { JsonObject } from "../json.ts";
import { present, type SeedCustomCertificate, type SeedPack, type SeedZone } from "./shape.ts";

type Entry = { value: JsonObject; at: string };

/** Checks `universal` of a zone. Throws an InputError that says where it is wrong, as all readers here. */
export function readUniversal(from: Members): SeedZone["universal"] {
  const value = from.object("universal");
  if (value === undefined) return undefined;
  const universal = members(value, `${from.at}.universal`);
  const read = { enabled: universal.flag("enabled"), issued_by: universal.text("issued_by") };
  universal.done();
  return present(read);
}

/** Checks one of `certificate_packs`. */
export function readPack({ value, at }: Entry): SeedPack {
  const from = members(value, at);
  const pack = {
    hosts: from.texts("hosts"),
    certificate_authority: from.oneOf("certificate_authority", ["google", "lets_encrypt", "ssl_com"]),
    validity_days: from.amount("validity_days"),
    issued_at: readTime(from, "issued_at"),
  };
  from.done();
  return present<SeedPack>(pack);
}

/** Checks one of `custom_certificates`. */
export function readCustomCertificate({ value, at }: Entry): SeedCustomCertificate {
  const from = members(value, at);
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

/** A time, ISO 8601. */
export function readTime(from: Members, name: string): string | undefined {
  const text = from.text(name);
  if (text !== undefined && Number.isNaN(Date.parse(text)))
    throw new InputError(`${from.at}.${name}`, "must be an ISO 8601 time");
  return text;
}
