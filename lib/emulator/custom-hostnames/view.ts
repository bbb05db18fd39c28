import type { Behaviour } from "../behaviour.ts";
import { USUAL_VALIDITY_DAYS } from "../certificates/authority.ts";
import { viewOfPack } from "../certificates/pack-view.ts";
import type { IssuedCertificate } from "../certificates/certificate.ts";
import { type Challenge, delegationRecords, validationRecords } from "../certificates/validation.ts";
import { timestamp } from "../clock.ts";
import { compact, copy, type Json, type JsonObject } from "../json.ts";
import type { Certificate, CustomHostname } from "./custom-hostname.ts";

/** The hostname as the API shows it (docs/service.md#custom-hostname-record). Verification data disappears once it is verified. */
export function hostnameView(record: CustomHostname, behaviour: Behaviour): JsonObject {
  const verified = record.status === "active" || record.status === "active_redeploying";
  return compact({
    id: record.id,
    hostname: record.hostname,
    ssl: record.ssl === null ? null : certificateView(record.hostname, record.ssl),
    custom_origin_server: record.customOriginServer ?? undefined,
    custom_origin_sni: record.customOriginSni ?? undefined,
    custom_metadata: record.customMetadata === null ? undefined : copy(record.customMetadata),
    status: shownStatus(record, behaviour),
    verification_errors: record.verificationErrors.length > 0 ? [...record.verificationErrors] : undefined,
    ownership_verification: verified ? undefined : ownershipRecord(record),
    ownership_verification_http: verified ? undefined : ownershipUrl(record),
    created_at: timestamp(record.createdAt),
  });
}

/** The hostname's status as the API shows it. As described, `caa_error` hides the stored status (docs/service-coverage.md#choices, row 4). */
export function shownStatus(record: CustomHostname, behaviour: Behaviour): string {
  const isBlockedByCaa = record.ssl?.validationErrors.some((text) => text.startsWith("caa_error")) === true;
  return behaviour.caaErrorStatus && isBlockedByCaa ? "caa_error" : record.status;
}

/** The CA that an answer names: the chosen one until the certificate is active, or else the one that issued, or else Google. */
function shownAuthority(certificate: Certificate): string {
  if (certificate.chosenAuthority !== "" && certificate.status !== "active") return certificate.chosenAuthority;
  return certificate.issued?.authority ?? "google";
}

/** The DNS name and value that prove ownership. */
export function ownershipRecord(record: CustomHostname): JsonObject {
  return { type: "txt", name: `_cf-custom-hostname.${bareName(record.hostname)}`, value: record.ownershipToken };
}

/** The URL and body that prove ownership; the URL ends in the hostname's id (docs/service.md#custom-hostname-record). */
export function ownershipUrl(record: CustomHostname): JsonObject {
  const url = `http://${bareName(record.hostname)}/.well-known/cf-custom-hostname-challenge/${record.id}`;
  return { http_url: url, http_body: record.ownershipToken };
}

/** What the CA asks of the customer. A wildcard needs two TXT records with the same name: for the name itself, and for the wildcard. */
export function challengeOf(hostname: string, certificate: Certificate): Challenge {
  const name = bareName(hostname);
  const parts = certificate.wildcard && certificate.method === "txt" ? ["apex", "wildcard"] : ["apex"];
  const { method, challenge, delegation } = certificate;
  return { method, secret: challenge, names: parts.map((part) => ({ name, part })), delegation };
}

/** The names in the certificate. */
export function alternativeNames(hostname: string, wildcard: boolean): string[] {
  const name = bareName(hostname);
  return wildcard ? [name, `*.${name}`] : [hostname];
}

/** The name without a leading wildcard label. */
export function bareName(hostname: string): string {
  return hostname.replace(/^\*\./, "");
}

function certificateView(hostname: string, certificate: Certificate): JsonObject {
  const isPending = certificate.status === "pending_validation" || certificate.status === "pending_issuance";
  const challenge = isPending && !certificate.uploaded ? challengeOf(hostname, certificate) : undefined;
  const errors = certificate.validationErrors.map((message) => ({ message }));
  return compact({
    id: certificate.id,
    type: "dv",
    method: certificate.method,
    status: certificate.status,
    settings: Object.keys(certificate.settings).length > 0 ? copy(certificate.settings) : undefined,
    bundle_method: certificate.bundleMethod,
    wildcard: certificate.wildcard,
    certificate_authority: certificate.uploaded ? undefined : shownAuthority(certificate),
    custom_csr_id: certificate.csrId ?? undefined,
    validation_records: challenge === undefined ? undefined : validationRecords(challenge),
    dcv_delegation_records: challenge?.method === "txt" ? delegationRecords(challenge) : undefined,
    validation_errors: errors.length > 0 ? errors : undefined,
    ...(certificate.issued === null ? {} : issuedView(certificate.issued, certificate.second)),
  });
}

function issuedView(issued: IssuedCertificate, second: IssuedCertificate | null): { [key: string]: Json } {
  return {
    hosts: [...issued.hosts],
    ...sharedView(issued),
    uploaded_on: timestamp(issued.issuedAt),
    certificates: (second === null ? [issued] : [issued, second]).map((one) => ({
      id: one.id,
      ...sharedView(one),
      issued_on: timestamp(one.issuedAt),
      fingerprint_sha256: one.fingerprint,
    })),
  };
}

function sharedView(issued: IssuedCertificate): JsonObject {
  return {
    issuer: issued.issuer,
    serial_number: issued.serialNumber,
    signature: issued.signature,
    expires_on: timestamp(issued.expiresAt),
  };
}

/** A hostname's certificate as a pack of the zone: `managed_hostname`, or `mh_custom` for an upload (docs/service.md#certificate-packs). */
export function managedPackView(zoneId: string, record: CustomHostname, certificate: Certificate): JsonObject {
  const { status, replacedId, issued, second } = certificate;
  const isPending = status === "pending_validation" || status === "pending_issuance";
  const serving = [issued, second].flatMap((one) => (one === null ? [] : [one]));
  return viewOfPack(zoneId, certificate, {
    ...traitsOf(record, certificate),
    certificates: replacedId === null ? serving : [],
    challenge: isPending && !certificate.uploaded ? challengeOf(record.hostname, certificate) : undefined,
  });
}

/** The pack that serves until its replacement is live, with the status `pending_cleanup` (docs/service.md#editing-a-custom-hostname). */
export function replacedPackView(zoneId: string, record: CustomHostname, certificate: Certificate): JsonObject {
  const { replacedId, issued } = certificate;
  const old = { ...certificate, id: replacedId ?? "", status: "pending_cleanup", validationErrors: [] } as const;
  return viewOfPack(
    zoneId,
    { ...old, validationErrors: [] },
    {
      ...traitsOf(record, certificate),
      authority: issued?.authority,
      certificates: issued === null ? [] : [issued],
      challenge: undefined,
    },
  );
}

function traitsOf(
  record: CustomHostname,
  certificate: Certificate,
): Omit<Parameters<typeof viewOfPack>[2], "certificates" | "challenge"> {
  return {
    type: certificate.uploaded ? "mh_custom" : "managed_hostname",
    hosts: alternativeNames(record.hostname, certificate.wildcard),
    validityDays: USUAL_VALIDITY_DAYS,
    authority: certificate.uploaded ? undefined : shownAuthority(certificate),
    bundleMethod: certificate.bundleMethod,
  };
}
