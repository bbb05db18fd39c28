import { asUuid, derive } from "../ids.ts";
import { issuerOf } from "./authority.ts";
import { COMMON_NAME_LENGTH, SHARED_COMMON_NAME, type CertificateOrder, type IssuedCertificate } from "./order.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** How long a managed certificate is good (docs/service.md#certificate-authorities). */
export const USUAL_VALIDITY_DAYS = 90;

/** What a CA is asked to sign. */
export interface Signing {
  /** Identifies the owner of the certificate: its numbers are derived from this and its place in the order alone. */
  readonly label: string;
  readonly hosts: readonly string[];
  readonly validityDays: number;
}

/** A certificate issued at a time (ms since the epoch): with branding, the shared name is its common name and one of its names. */
export function issueFor(order: CertificateOrder, signing: Signing, authority: string, at: number): IssuedCertificate {
  order.generation += 1;
  const label = `${signing.label} ${order.id} ${order.generation}`;
  return {
    id: asUuid(derive(`${label} certificate`)),
    authority,
    issuer: issuerOf(authority),
    serialNumber: derive(`${label} serial`).slice(0, 32),
    signature: "ECDSAWithSHA256",
    fingerprint: derive(`${label} fingerprint`),
    commonName: order.branding ? SHARED_COMMON_NAME : commonNameOf(signing.hosts),
    hosts: order.branding ? [SHARED_COMMON_NAME, ...signing.hosts] : [...signing.hosts],
    keyType: "ecdsa",
    uploadedChain: null,
    issuedAt: at,
    expiresAt: at + signing.validityDays * DAY_MILLISECONDS,
  };
}

/** The first name that is short enough; without branding, an order that has none was refused (docs/service.md#common-name). */
function commonNameOf(hosts: readonly string[]): string {
  return hosts.find((host) => host.length <= COMMON_NAME_LENGTH) ?? hosts[0] ?? "";
}
