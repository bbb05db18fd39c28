/** Where a certificate comes from. `total_tls_setting` is no certificate, but the CA that future ones of Total TLS come from. */
export type CertificateKind =
  | "custom_hostname"
  | "universal"
  | "advanced"
  | "total_tls"
  | "total_tls_setting"
  | "custom"
  | "keyless";

/** Every kind, in the order in which they are listed. */
export const CERTIFICATE_KINDS: readonly CertificateKind[] = [
  "custom_hostname",
  "universal",
  "advanced",
  "total_tls",
  "total_tls_setting",
  "custom",
  "keyless",
];

/** How a certificate comes to its chain: by the service, or by a bundle method of uploads, which the service does not always show. */
export type Bundling = "managed" | "ubiquitous" | "optimal" | "force" | "unknown";

/** A certificate of a zone. */
export interface Certificate {
  readonly kind: CertificateKind;
  readonly id: string;
  readonly hosts: readonly string[];
  readonly status: string;
  /** The CA that somebody chose: a name, or `default` where the choice is the service's. Absent where nobody knows. */
  readonly chosen?: string;
  /** The choice stands in the YAML only: nothing was sent yet that says so. */
  readonly isUnsent?: true;
  /** The CA that issued, by its name where that is known, else as the certificate names it. Absent before it is issued. */
  readonly issuing?: string;
  readonly bundling: Bundling;
  /** When it was issued, or uploaded. */
  readonly since?: string;
  readonly expiresOn?: string;
  /** What the service says is wrong, with the hostname and with the certificate. */
  readonly verificationErrors: readonly string[];
  readonly validationErrors: readonly string[];
}

/** How issuers name themselves, in letters alone. */
const ISSUERS: readonly (readonly [RegExp, string])[] = [
  [/letsencrypt|isrg/, "lets_encrypt"],
  [/google/, "google"],
  [/sslcorp|sslcom/, "ssl_com"],
  [/digicert/, "digicert"],
  [/sectigo|comodo/, "sectigo"],
];

/** The CA behind an issuer as a certificate names it: `LetsEncrypt` is `lets_encrypt`. One that is not known stays as it is. */
export function authorityOf(issuer: string): string {
  const letters = issuer.toLowerCase().replace(/[^a-z]/g, "");
  return ISSUERS.find(([pattern]) => pattern.test(letters))?.[1] ?? issuer;
}

/** Whether one of the names is the hostname, or a wildcard for it (one label, as in certificates). */
export function covers(hosts: readonly string[], hostname: string): boolean {
  const wildcard = hostname.replace(/^[^.]+/, "*");
  return hosts.some((host) => host === hostname || host === wildcard);
}
