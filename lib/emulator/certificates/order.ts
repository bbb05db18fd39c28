import type { ChainName } from "./chain.ts";

/** The statuses of a certificate: the 21 values of docs/service.md#certificate-lifecycle. */
export const CERTIFICATE_STATUSES = [
  "initializing",
  "pending_validation",
  "deleted",
  "pending_issuance",
  "pending_deployment",
  "pending_deletion",
  "pending_expiration",
  "expired",
  "active",
  "initializing_timed_out",
  "validation_timed_out",
  "issuance_timed_out",
  "deployment_timed_out",
  "deletion_timed_out",
  "pending_cleanup",
  "staging_deployment",
  "staging_active",
  "deactivating",
  "inactive",
  "backup_issued",
  "holding_deployment",
] as const;

/** The status of a certificate (docs/service.md#certificate-lifecycle). */
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

/** How the customer proves control of the name to the CA. */
export type ValidationMethod = "http" | "txt" | "email";

/** A certificate that a CA issued or an owner uploaded. Times are milliseconds since the epoch. */
export interface IssuedCertificate {
  readonly id: string;
  /** The CA that issued, which may not be the chosen one. */
  readonly authority: string;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly signature: string;
  readonly fingerprint: string;
  readonly commonName: string;
  readonly hosts: readonly string[];
  readonly keyType: "rsa" | "ecdsa";
  /** The chain that was uploaded with it; null for what a CA issued here. */
  readonly uploadedChain: ChainName | null;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** What was ordered from a CA, how far it is, and what was issued last. The same for hostnames and certificate packs. */
export interface CertificateOrder {
  id: string;
  method: ValidationMethod;
  /** The CA as chosen; "" lets the service choose. Kept apart from the CA that issued. */
  chosenAuthority: string;
  branding: boolean;
  status: CertificateStatus;
  validationErrors: string[];
  /** Secret of the present validation records; a restart makes a new one. */
  challenge: string;
  /** Failed tries of the present step since the last restart. */
  tries: number;
  /** When it next changes, in milliseconds since the epoch; null when it waits for nothing. */
  dueAt: number | null;
  /** The certificate that serves now; it stays while a replacement is being issued. */
  issued: IssuedCertificate | null;
  /** How many were issued, so that each has its own serial number. */
  generation: number;
}

/** The common name of a certificate with branding (docs/service.md#common-name). */
export const SHARED_COMMON_NAME = "sni.cloudflaressl.com";

/** The longest common name: 64 characters (docs/service.md#common-name). */
export const COMMON_NAME_LENGTH = 64;
