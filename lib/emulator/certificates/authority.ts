import { asUuid, derive } from "../ids.ts";
import {
  type Bundling,
  type CertificateOrder,
  type ChainName,
  COMMON_NAME_LENGTH,
  type IssuedCertificate,
  SHARED_COMMON_NAME,
} from "./certificate.ts";

/** The CA whose chain changes (docs/service.md#ca-chain-change). */
export const LEGACY_AUTHORITY = "lets_encrypt";

/** The CAs that can be chosen for a certificate pack and for Total TLS (docs/service.md#certificate-packs). */
export const PACK_AUTHORITIES = ["google", "lets_encrypt", "ssl_com"] as const;

const ISSUERS: ReadonlyMap<string, string> = new Map([
  ["google", "GoogleTrustServices"],
  ["lets_encrypt", "LetsEncrypt"],
  ["ssl_com", "SSLCorporation"],
  ["digicert", "DigiCert"],
]);

/** Recognises the CA in the issuer of an uploaded certificate. */
const ISSUER_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/let'?s ?encrypt/i, "lets_encrypt"],
  [/google trust services/i, "google"],
  [/ssl corp|ssl\.com/i, "ssl_com"],
  [/digicert/i, "digicert"],
];

/** The API's name for the CA as an issuer. */
export function issuerOf(authority: string): string {
  return ISSUERS.get(authority) ?? authority;
}

/** The CA that issued an uploaded certificate; `uploaded` for a CA that the service does not use. */
export function authorityOfIssuer(issuer: string): string {
  return ISSUER_PATTERNS.find(([pattern]) => pattern.test(issuer))?.[1] ?? "uploaded";
}

/**
 * The CAs that the service tries, in this order, if nobody chose one, at a time (ms since the epoch): Google, then Let's Encrypt
 * if CAA blocks Google (docs/service.md#certificate-authorities). Before the automatic switch the order is reversed (inferred:
 * otherwise no certificate could switch).
 */
export function defaultAuthorities(at: number): readonly [string, string] {
  return at < AUTHORITY_SWITCH ? [LEGACY_AUTHORITY, "google"] : ["google", LEGACY_AUTHORITY];
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** How long a managed certificate is valid (docs/service.md#certificate-authorities). */
export const USUAL_VALIDITY_DAYS = 90;

/** What a CA is asked to sign. */
interface Signing {
  /** Identifies the owner. The certificate's id and serial number follow from this, and from the order's id and generation. */
  readonly label: string;
  readonly hosts: readonly string[];
  readonly validityDays: number;
}

/** Issues a certificate at a time (ms since the epoch). With branding the shared name is its common name, and one of its hosts. */
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

/** The first name that is short enough. The service refuses an order without branding that has none (docs/service.md#common-name). */
function commonNameOf(hosts: readonly string[]): string {
  return hosts.find((host) => host.length <= COMMON_NAME_LENGTH) ?? hosts[0] ?? "";
}

/** What the chain of a certificate depends on. */
interface Chained {
  /** The CA that issued. */
  readonly authority: string;
  readonly bundling: Bundling;
  /** When it was issued or uploaded, in milliseconds since the epoch. */
  readonly since: number;
  /** The chain that came with an upload; null when it came without one. */
  readonly uploaded: ChainName | null;
}

/** A chain as served: the certificates above the leaf, and which clients can verify it. */
export interface Chain {
  readonly name: ChainName;
  /** Common names from the leaf's issuer upwards. */
  readonly certificates: readonly string[];
  /** Whether part of it has expired. */
  readonly isExpired: boolean;
  /** Whether clients that know only the old root can verify it. */
  readonly reachesImpactedClients: boolean;
}

/**
 * The chain at a time, in milliseconds since the epoch (docs/service.md#ca-chain-change). Certificates of the legacy-chain CA
 * that were issued, or uploaded as compatible or modern, before 2024-09-09 keep the cross-signed chain until it expires. Later
 * ones use the self-signed root. A user-defined upload is served as it was uploaded.
 */
export function chainAt(certificate: Chained, at: number): Chain {
  const name = nameAt(certificate, at);
  const isExpired = name === "cross-signed" && at >= CROSS_SIGNED_EXPIRES;
  const isLegacy = certificate.authority === LEGACY_AUTHORITY;
  return {
    name,
    certificates: isLegacy ? LEGACY_CHAINS[name] : [`${certificate.authority} root`],
    isExpired,
    reachesImpactedClients: !isLegacy || (name === "cross-signed" && !isExpired),
  };
}

const LEGACY_CHAINS: Readonly<Record<ChainName, readonly string[]>> = {
  "cross-signed": ["R3", "ISRG Root X1 (cross-signed by DST Root CA X3)"],
  "self-signed": ["R3", "ISRG Root X1"],
  own: ["R3"],
};

function nameAt(certificate: Chained, at: number): ChainName {
  if (certificate.bundling === "force") return certificate.uploaded ?? "own";
  if (certificate.authority !== LEGACY_AUTHORITY) return "own";
  const isKept = certificate.since < CROSS_SIGNED_STOPS && at < CROSS_SIGNED_EXPIRES;
  return isKept ? "cross-signed" : "self-signed";
}

/**
 * The dates of the CA chain change (docs/service.md#ca-chain-change), in milliseconds since the epoch. The description names days;
 * each begins at midnight UTC (for the first: docs/service-coverage.md#choices, row 15; for the others inferred).
 */

/** When managed certificates that nobody set to the legacy-chain CA switch to another CA. */
export const AUTHORITY_SWITCH: number = Date.UTC(2024, 5, 1);

/** When the service stops using the cross-signed chain for issuing and bundling. */
const CROSS_SIGNED_STOPS: number = Date.UTC(2024, 8, 9);

/** When the cross-signed chain expires. */
const CROSS_SIGNED_EXPIRES: number = Date.UTC(2024, 8, 30);
