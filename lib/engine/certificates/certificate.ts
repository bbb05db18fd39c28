/**
 * The source of a certificate. `total_tls_setting` is no certificate: it has the CA of future Total TLS certificates.
 */
export type CertificateKind =
  | "custom_hostname"
  | "universal"
  | "advanced"
  | "total_tls"
  | "total_tls_setting"
  | "custom"
  | "keyless";

/** Every kind, in listing order. */
export const CERTIFICATE_KINDS: readonly CertificateKind[] = [
  "custom_hostname",
  "universal",
  "advanced",
  "total_tls",
  "total_tls_setting",
  "custom",
  "keyless",
];

/**
 * How a certificate gets its chain: from the service, or by the bundle method of an upload, which the service does not
 * always show.
 */
export type Bundling = "managed" | "ubiquitous" | "optimal" | "force" | "unknown";

/** A certificate of a zone. */
export interface Certificate {
  readonly kind: CertificateKind;
  readonly id: string;
  readonly hosts: readonly string[];
  readonly status: string;
  /** The chosen CA: a name, or `default` if the service chooses. Absent if unknown. */
  readonly chosen?: string;
  /** The choice is only in the YAML: it was not sent yet. */
  readonly isUnsent?: true;
  /** The CA that issued it: our name for it if known, else the certificate's. Absent before it is issued. */
  readonly issuing?: string;
  readonly bundling: Bundling;
  /** When it was issued, or uploaded. */
  readonly since?: string;
  readonly expiresOn?: string;
  /** The errors that the service reports about the hostname and the certificate. */
  readonly verificationErrors: readonly string[];
  readonly validationErrors: readonly string[];
}

/** The names of issuers in certificates, in letters alone. */
const ISSUERS: readonly (readonly [RegExp, string])[] = [
  [/letsencrypt|isrg/, "lets_encrypt"],
  [/google/, "google"],
  [/sslcorp|sslcom/, "ssl_com"],
  [/digicert/, "digicert"],
  [/sectigo|comodo/, "sectigo"],
];

/** The CA for a certificate's issuer: `LetsEncrypt` is `lets_encrypt`. An unknown issuer stays as it is. */
export function authorityOf(issuer: string): string {
  const letters = issuer.toLowerCase().replace(/[^a-z]/g, "");
  return ISSUERS.find(([pattern]) => pattern.test(letters))?.[1] ?? issuer;
}

/** Whether one of the names is the hostname, or a wildcard for it (one label, as in certificates). */
export function covers(hosts: readonly string[], hostname: string): boolean {
  const wildcard = hostname.replace(/^[^.]+/, "*");
  return hosts.some((host) => host === hostname || host === wildcard);
}
