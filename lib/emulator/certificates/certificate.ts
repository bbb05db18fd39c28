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

/** Which chain a certificate is served with; `own` is the one chain of a CA that has only one. */
export type ChainName = "cross-signed" | "self-signed" | "own";

/** What decides the chain of a certificate: `managed` for the service, or the bundle method of an upload. */
export type Bundling = "managed" | "ubiquitous" | "optimal" | "force";

/** A certificate that a CA issued or an owner uploaded. Times are milliseconds since the epoch. */
export interface IssuedCertificate {
  readonly id: string;
  /** The CA that issued it. It need not be the chosen one. */
  readonly authority: string;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly signature: string;
  readonly fingerprint: string;
  readonly commonName: string;
  readonly hosts: readonly string[];
  readonly keyType: "rsa" | "ecdsa";
  /** The chain that was uploaded with it; null for an upload without a chain, and for a certificate that a CA issued here. */
  readonly uploadedChain: ChainName | null;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** What was ordered from a CA, how far the order has got, and what was issued last. Hostnames and certificate packs share it. */
export interface CertificateOrder {
  id: string;
  method: ValidationMethod;
  /** The chosen CA; "" lets the service choose. Another CA may have issued. */
  chosenAuthority: string;
  branding: boolean;
  status: CertificateStatus;
  validationErrors: string[];
  /** The secret of the present validation records. A restart makes a new one. */
  challenge: string;
  /** Failed tries of the present step since the last restart. */
  tries: number;
  /** When it next changes, in milliseconds since the epoch; null when it waits for nothing. */
  dueAt: number | null;
  /** The certificate that serves now. It stays until its replacement is issued. */
  issued: IssuedCertificate | null;
  /** How many certificates were issued, so that each gets another serial number. */
  generation: number;
}

/** The common name of a certificate with branding (docs/service.md#common-name). */
export const SHARED_COMMON_NAME = "sni.cloudflaressl.com";

/** The longest common name: 64 characters (docs/service.md#common-name). */
export const COMMON_NAME_LENGTH = 64;

/** A certificate pack of the zone itself. The packs of custom hostnames are derived from the hostnames. */
export interface CertificatePack extends CertificateOrder {
  readonly type: "universal" | "advanced" | "total_tls";
  readonly hosts: readonly string[];
  readonly validityDays: number;
}

/** A certificate that the owner uploaded for the zone (docs/service.md#custom-certificates). Times are milliseconds since the epoch. */
export interface CustomCertificate {
  readonly id: string;
  readonly type: "legacy_custom" | "sni_custom";
  bundleMethod: Exclude<Bundling, "managed">;
  geo: string | null;
  policy: string | null;
  priority: number;
  status: "pending" | "active" | "expired";
  csrId: string | null;
  issued: IssuedCertificate;
  readonly uploadedAt: number;
  modifiedAt: number;
  dueAt: number | null;
}

/** A certificate signing request whose private key the service keeps (docs/service.md#custom-csrs). */
export interface CustomCsr {
  readonly id: string;
  /** The id of the zone or the account that it belongs to. */
  readonly owner: string;
  readonly commonName: string;
  readonly country: string;
  readonly state: string;
  readonly locality: string;
  readonly organization: string;
  readonly organizationalUnit: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly sans: readonly string[];
  readonly keyType: "rsa2048" | "p256v1";
  /** PEM. */
  readonly request: string;
  /** PEM; never shown. */
  readonly privateKey: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** One certificate in a notice. */
export interface NoticedCertificate {
  readonly kind: "custom_hostname" | "advanced" | "total_tls";
  /** The hostname's id, or the pack's. */
  readonly id: string;
  readonly hosts: readonly string[];
  /** Whether impacted clients request its hostnames. */
  readonly impactedClients: boolean;
}

/** An e-mail notice to the owner of a zone (docs/service.md#notices). */
export interface Notice {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly accountId: string;
  readonly zoneId: string;
  readonly certificates: readonly NoticedCertificate[];
}
