import type { Behaviour } from "../behaviour.ts";
import { USUAL_VALIDITY_DAYS } from "../certificates/authority.ts";
import { viewOfPack } from "../certificates/pack-view.ts";
import type { IssuedCertificate } from "../certificates/certificate.ts";
import { type Challenge, delegationRecords, validationRecords } from "../certificates/validation.ts";
import { timestamp } from "../clock.ts";
import { compact, copy, type Json, type JsonObject } from "../json.ts";
import type { Certificate, CustomHostname } from "./custom-hostname.ts";

/** The hostname as the API shows it (docs/service.md#custom-hostname-record). Verification data disappears once it is verified. */
export function hostnameView(custom: CustomHostname, behaviour: Behaviour): JsonObject {
  const verified = custom.status === "active" || custom.status === "active_redeploying";
  return compact({
    id: custom.id,
    hostname: custom.hostname,
    ssl: custom.ssl === null ? null : certificateView(custom.hostname, custom.ssl),
    custom_origin_server: custom.customOriginServer ?? undefined,
    custom_origin_sni: custom.customOriginSni ?? undefined,
    custom_metadata: custom.customMetadata === null ? undefined : copy(custom.customMetadata),
    status: shownStatus(custom, behaviour),
    verification_errors: custom.verificationErrors.length > 0 ? [...custom.verificationErrors] : undefined,
    ownership_verification: verified ? undefined : ownershipRecord(custom),
    ownership_verification_http: verified ? undefined : ownershipUrl(custom),
    created_at: timestamp(custom.createdAt),
  });
}

/** The hostname's status as the API shows it. As described, `caa_error` hides the stored status (docs/service-coverage.md#choices, row 4). */
export function shownStatus(custom: CustomHostname, behaviour: Behaviour): string {
  const isBlockedByCaa = custom.ssl?.validationErrors.some((text) => text.startsWith("caa_error")) === true;
  return behaviour.caaErrorStatus && isBlockedByCaa ? "caa_error" : custom.status;
}

/** The CA that an answer names: the chosen one until the certificate is active, or else the one that issued, or else Google. */
function shownAuthority(certificate: Certificate): string {
  if (certificate.chosenAuthority !== "" && certificate.status !== "active") return certificate.chosenAuthority;
  return certificate.issued?.authority ?? "google";
}

/** The DNS name and value that prove ownership. */
export function ownershipRecord(custom: CustomHostname): JsonObject {
  return { type: "txt", name: `_cf-custom-hostname.${bareName(custom.hostname)}`, value: custom.ownershipToken };
}

/** The URL and body that prove ownership; the URL ends in the hostname's id (docs/service.md#custom-hostname-record). */
export function ownershipUrl(custom: CustomHostname): JsonObject {
  const url = `http://${bareName(custom.hostname)}/.well-known/cf-custom-hostname-challenge/${custom.id}`;
  return { http_url: url, http_body: custom.ownershipToken };
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
export function managedPackView(zoneId: string, custom: CustomHostname, certificate: Certificate): JsonObject {
  const { status, replacedId, issued, second } = certificate;
  const isPending = status === "pending_validation" || status === "pending_issuance";
  const serving = [issued, second].flatMap((one) => (one === null ? [] : [one]));
  return viewOfPack(zoneId, certificate, {
    ...traitsOf(custom, certificate),
    certificates: replacedId === null ? serving : [],
    challenge: isPending && !certificate.uploaded ? challengeOf(custom.hostname, certificate) : undefined,
  });
}

/** The pack that serves until its replacement is live, with the status `pending_cleanup` (docs/service.md#editing-a-custom-hostname). */
export function replacedPackView(zoneId: string, custom: CustomHostname, certificate: Certificate): JsonObject {
  const { replacedId, issued } = certificate;
  const old = { ...certificate, id: replacedId ?? "", status: "pending_cleanup", validationErrors: [] } as const;
  return viewOfPack(
    zoneId,
    { ...old, validationErrors: [] },
    {
      ...traitsOf(custom, certificate),
      authority: issued?.authority,
      certificates: issued === null ? [] : [issued],
      challenge: undefined,
    },
  );
}

function traitsOf(
  custom: CustomHostname,
  certificate: Certificate,
): Omit<Parameters<typeof viewOfPack>[2], "certificates" | "challenge"> {
  return {
    type: certificate.uploaded ? "mh_custom" : "managed_hostname",
    hosts: alternativeNames(custom.hostname, certificate.wildcard),
    validityDays: USUAL_VALIDITY_DAYS,
    authority: certificate.uploaded ? undefined : shownAuthority(certificate),
    bundleMethod: certificate.bundleMethod,
  };
}
