import { objects, optionalText, text, texts } from "../../core/decode.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { HostnameRecord } from "../../kinds/custom-hostname/records.ts";
import type { Live } from "../../kinds/live.ts";
import { authorityOf, type Bundling, type Certificate, type CertificateKind } from "./certificate.ts";

/**
 * The certificate of a custom hostname; undefined for a hostname without `ssl`. `method` is the bundle method of an
 * upload.
 */
export function ofHostname(
  record: HostnameRecord,
  chosen: string | undefined,
  method: string | undefined,
): Certificate | undefined {
  const { live, issuer, authority, issuedOn, isUploaded } = record;
  const status = optionalText(live.status, "ssl_status");
  if (status === undefined) return undefined;
  const issuing = issuer === undefined ? (status === "active" ? authority : undefined) : authorityOf(issuer);
  return {
    kind: "custom_hostname",
    id: live.id,
    hosts: record.hosts,
    status,
    ...part({ chosen: isUploaded ? undefined : chosen, issuing, since: issuedOn, expiresOn: record.expiresOn }),
    bundling: isUploaded ? bundlingOf(method) : "managed",
    verificationErrors: texts(live.status, "verification_errors"),
    validationErrors: texts(live.status, "validation_errors"),
  };
}

/** Types of the zone's own packs. Packs of hostnames and of uploads are in other lists. */
const PACK_KINDS: Readonly<Record<string, CertificateKind>> = {
  universal: "universal",
  advanced: "advanced",
  total_tls: "total_tls",
  keyless: "keyless",
};

/** A certificate pack (docs/service.md#certificate-packs); undefined for one that is in another list. */
export function ofPack(pack: JsonObject): Certificate | undefined {
  const kind = PACK_KINDS[optionalText(pack, "type") ?? ""];
  if (kind === undefined) return undefined;
  const [first] = objects(pack, "certificates");
  const authority = optionalText(pack, "certificate_authority");
  const issuer = first && optionalText(first, "issuer");
  return {
    kind,
    id: text(pack, "id"),
    hosts: texts(pack, "hosts"),
    status: optionalText(pack, "status")?.toLowerCase() ?? "unknown",
    // A universal pack shows the CA that the service chose.
    ...part({
      chosen: kind === "universal" || authority === "" ? "default" : authority,
      issuing: issuer === undefined ? undefined : authorityOf(issuer),
      since: first && optionalText(first, "uploaded_on"),
      expiresOn: first && optionalText(first, "expires_on"),
    }),
    bundling: "managed",
    verificationErrors: [],
    validationErrors: objects(pack, "validation_errors").map((each) => optionalText(each, "message") ?? ""),
  };
}

/** A certificate that was uploaded for the zone (docs/service.md#custom-certificates). */
export function ofUpload(upload: JsonObject): Certificate {
  const issuer = optionalText(upload, "issuer");
  return {
    kind: "custom",
    id: text(upload, "id"),
    hosts: texts(upload, "hosts"),
    status: optionalText(upload, "status")?.toLowerCase() ?? "unknown",
    ...part({
      issuing: issuer === undefined ? undefined : authorityOf(issuer),
      since: optionalText(upload, "uploaded_on"),
      expiresOn: optionalText(upload, "expires_on"),
    }),
    bundling: bundlingOf(upload["bundle_method"]),
    verificationErrors: [],
    validationErrors: [],
  };
}

/** The setting of Total TLS; undefined if it is off. */
export function ofTotalTls({ id, values }: Live): Certificate | undefined {
  if (values["enabled"] !== true) return undefined;
  return {
    kind: "total_tls_setting",
    id,
    hosts: [],
    status: "enabled",
    ...part({ chosen: optionalText(values, "certificate_authority") ?? "default" }),
    bundling: "managed",
    verificationErrors: [],
    validationErrors: [],
  };
}

function bundlingOf(method: Json | undefined): Bundling {
  return method === "ubiquitous" || method === "optimal" || method === "force" ? method : "unknown";
}

type Known = "chosen" | "issuing" | "since" | "expiresOn";

/** The members that are known. */
function part(members: Partial<Record<Known, string | undefined>>): Partial<Record<Known, string>> {
  const kept: Partial<Record<Known, string>> = {};
  for (const name of ["chosen", "issuing", "since", "expiresOn"] as const) {
    const value = members[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
