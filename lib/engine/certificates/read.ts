import type { DesiredZone } from "../../config/desired.ts";
import { type HostnameDetails, listDetails } from "../../kinds/custom-hostname/details.ts";
import { totalTls } from "../../kinds/total-tls/kind.ts";
import type { Client } from "../../service/client.ts";
import { ApiError } from "../../service/errors.ts";
import type { State } from "../../state/state.ts";
import {
  authorityOf,
  type Bundling,
  type Certificate,
  CERTIFICATE_KINDS,
  type CertificateKind,
  covers,
} from "./certificate.ts";
import { bundleMethods, choices, sentChoices } from "./choice.ts";
import { objects, optionalText, text, texts } from "../../core/decode.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Live } from "../../kinds/live.ts";

/** At most 50 a page (docs/service.md#pages). */
const PAGE_SIZES: readonly [number] = [50];

/** A zone whose certificates are read, with its configuration and state. */
export interface CertificateZone {
  readonly client: Client;
  readonly zone: DesiredZone;
  readonly state: State | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The certificates of a zone, of some kinds or of all. Only the necessary lists are read: that of packs is long,
 * because every custom hostname has one.
 */
export async function* certificates(
  from: CertificateZone,
  kinds: readonly CertificateKind[] = CERTIFICATE_KINDS,
): AsyncGenerator<Certificate> {
  const wanted = new Set(kinds);
  if (wanted.has("custom_hostname")) yield* hostnameCertificates(from, {});
  if (PACKS.some((kind) => wanted.has(kind))) {
    for await (const certificate of packs(from)) if (wanted.has(certificate.kind)) yield certificate;
  }
  if (wanted.has("total_tls_setting")) yield* setting(from);
  if (wanted.has("custom")) yield* uploads(from);
}

const PACKS: readonly CertificateKind[] = ["universal", "advanced", "total_tls", "keyless"];

/** The certificates of a zone that could serve a hostname. Reads hostnames by name, not all of them. */
export async function* search(from: CertificateZone, hostname: string): AsyncGenerator<Certificate> {
  const seen = new Set<string>();
  for (const name of [hostname, parentOf(hostname)]) {
    if (name === undefined) continue;
    for await (const certificate of hostnameCertificates(from, { hostname: name })) {
      if (seen.has(certificate.id) || !covers(certificate.hosts, hostname)) continue;
      seen.add(certificate.id);
      yield certificate;
    }
  }
  for await (const certificate of certificates(from, [...PACKS, "custom"]))
    if (covers(certificate.hosts, hostname)) yield certificate;
}

function parentOf(hostname: string): string | undefined {
  const parent = hostname.replace(/^[^.]+\./, "");
  return parent.includes(".") ? parent : undefined;
}

async function* hostnameCertificates(
  { client, zone, state, signal }: CertificateZone,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<Certificate> {
  const chosenFor = choices(zone, state);
  const isSent = sentChoices(state);
  const methodOf = bundleMethods(zone, state);
  for await (const hostname of listDetails(client, zone.id, query, signal)) {
    const certificate = ofHostname(hostname, chosenFor(hostname.live), methodOf(hostname.live));
    if (!certificate) continue;
    const isUnsent = certificate.chosen !== undefined && !isSent(hostname.live);
    yield isUnsent ? { ...certificate, isUnsent } : certificate;
  }
}

/** Without `status=all` the service lists only active packs. */
async function* packs({ client, zone, signal }: CertificateZone): AsyncGenerator<Certificate> {
  const path = `/zones/${zone.id}/ssl/certificate_packs`;
  const family = "certificate_packs";
  const request = { path, query: { status: "all" }, family, pageSizes: PAGE_SIZES, style: "page" } as const;
  for await (const pack of client.pages(request, signal)) {
    const certificate = ofPack(pack);
    if (certificate) yield certificate;
  }
}

async function* uploads({ client, zone, signal }: CertificateZone): AsyncGenerator<Certificate> {
  const path = `/zones/${zone.id}/custom_certificates`;
  const request = { path, family: "custom_certificates", pageSizes: PAGE_SIZES, style: "page" } as const;
  for await (const upload of client.pages(request, signal)) yield ofUpload(upload);
}

async function* setting({ client, zone, signal }: CertificateZone): AsyncGenerator<Certificate> {
  const live = await orNone(totalTls.read(client, zone.id, { id: zone.id, key: "" }, signal));
  const certificate = live && ofTotalTls(live);
  if (certificate) yield certificate;
}

/** A zone without the certificate manager responds with 1450, and has no Total TLS then (docs/service.md#total-tls). */
async function orNone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.has(1450)) return undefined;
    throw thrown;
  }
}

/**
 * The certificate of a custom hostname; undefined for a hostname without `ssl`. `method` is the bundle method of an
 * upload.
 */
function ofHostname(
  hostname: HostnameDetails,
  chosen: string | undefined,
  method: string | undefined,
): Certificate | undefined {
  const { live, issuer, authority, issuedOn, isUploaded } = hostname;
  const status = optionalText(live.status, "ssl_status");
  if (status === undefined) return undefined;
  const issuing = issuer === undefined ? (status === "active" ? authority : undefined) : authorityOf(issuer);
  return {
    kind: "custom_hostname",
    id: live.id,
    hosts: hostname.hosts,
    status,
    ...part({ chosen: isUploaded ? undefined : chosen, issuing, since: issuedOn, expiresOn: hostname.expiresOn }),
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
function ofPack(pack: JsonObject): Certificate | undefined {
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
function ofUpload(upload: JsonObject): Certificate {
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
function ofTotalTls({ id, values }: Live): Certificate | undefined {
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
