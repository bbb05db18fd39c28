import { AUTHORITY_SWITCH } from "./dates.ts";

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

/** How the CA is recognised by the issuer of an uploaded certificate. */
const ISSUER_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/let'?s ?encrypt/i, "lets_encrypt"],
  [/google trust services/i, "google"],
  [/ssl corp|ssl\.com/i, "ssl_com"],
  [/digicert/i, "digicert"],
];

/** The issuer as the API names it. */
export function issuerOf(authority: string): string {
  return ISSUERS.get(authority) ?? authority;
}

/** The CA behind an uploaded certificate; `uploaded` for one that the service does not work with. */
export function authorityOfIssuer(issuer: string): string {
  return ISSUER_PATTERNS.find(([pattern]) => pattern.test(issuer))?.[1] ?? "uploaded";
}

/**
 * The CAs that the service takes when it may choose, best first, at a time (ms since the epoch). Google, and Let's Encrypt
 * where CAA blocks Google (docs/service.md#certificate-authorities); until the automatic switch the other way round (inferred: otherwise
 * nothing could switch).
 */
export function defaultAuthorities(at: number): readonly [string, string] {
  return at < AUTHORITY_SWITCH ? [LEGACY_AUTHORITY, "google"] : ["google", LEGACY_AUTHORITY];
}
