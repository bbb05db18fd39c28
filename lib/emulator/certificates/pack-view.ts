import { timestamp } from "../clock.ts";
import { compact, type JsonObject } from "../json.ts";
import type { CertificateOrder, CertificatePack, IssuedCertificate } from "./certificate.ts";
import { delegationOf, delegationRecords, validationRecords, type Challenge } from "./validation.ts";

/** What to show of a pack besides its order. */
interface PackShown {
  readonly type: string;
  readonly hosts: readonly string[];
  readonly validityDays: number;
  readonly authority: string | undefined;
  readonly bundleMethod: string;
  readonly certificates: readonly IssuedCertificate[];
  readonly challenge: Challenge | undefined;
}

/** A certificate pack of the zone itself, as the API shows it (docs/service.md#certificate-packs). */
export function packView(zoneId: string, pack: CertificatePack): JsonObject {
  const isPending = pack.status === "pending_validation" || pack.status === "pending_issuance";
  const shown = {
    ...pack,
    authority: authorityOfPack(pack),
    bundleMethod: "ubiquitous",
    certificates: pack.issued === null ? [] : [pack.issued],
    challenge: isPending ? challengeOfPack(zoneId, pack) : undefined,
  };
  return viewOfPack(zoneId, pack, shown);
}

/** A pack of any type, as the API shows it. */
export function viewOfPack(zoneId: string, order: CertificateOrder, shown: PackShown): JsonObject {
  const errors = order.validationErrors.map((message) => ({ message }));
  const { challenge } = shown;
  return compact({
    id: order.id,
    type: shown.type,
    hosts: [...shown.hosts],
    status: order.status,
    validation_method: order.method,
    validity_days: shown.validityDays,
    certificate_authority: shown.authority,
    cloudflare_branding: order.branding,
    primary_certificate: shown.certificates[0]?.id ?? "",
    certificates: shown.certificates.map((issued) => certificateOf(zoneId, shown.bundleMethod, issued)),
    validation_records: challenge === undefined ? undefined : validationRecords(challenge),
    dcv_delegation_records: challenge?.method === "txt" ? delegationRecords(challenge) : undefined,
    validation_errors: errors.length > 0 ? errors : undefined,
  });
}

/** What the CA asks for: one record for each host. A name and its wildcard get two records with the same name. */
export function challengeOfPack(zoneId: string, pack: CertificatePack): Challenge {
  const names = pack.hosts.map((host) => ({ name: host.replace(/^\*\./, ""), part: host }));
  return { method: pack.method, secret: pack.challenge, names, delegation: delegationOf(zoneId) };
}

/** The chosen CA, or else the CA that issued, or else the one that the service tries first. */
function authorityOfPack(pack: CertificatePack): string {
  return pack.chosenAuthority === "" ? (pack.issued?.authority ?? "google") : pack.chosenAuthority;
}

function certificateOf(zoneId: string, bundleMethod: string, issued: IssuedCertificate): JsonObject {
  return {
    id: issued.id,
    hosts: [...issued.hosts],
    issuer: issued.issuer,
    signature: issued.signature,
    status: "active",
    bundle_method: bundleMethod,
    zone_id: zoneId,
    uploaded_on: timestamp(issued.issuedAt),
    modified_on: timestamp(issued.issuedAt),
    expires_on: timestamp(issued.expiresAt),
    priority: 1,
  };
}
