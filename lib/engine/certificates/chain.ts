import type { Certificate } from "./certificate.ts";
import { CROSS_SIGN_EXPIRES, LAST_BUNDLED, SWITCH } from "./dates.ts";

/** The CA whose chain changes. */
export const LEGACY_AUTHORITY = "lets_encrypt";

/**
 * The chain that a certificate is served with. `own` is that of a CA whose chain does not change, `switched` that of the
 * CA that the service changed to by itself, `as-uploaded` whatever came with the certificate, `none` that of a certificate
 * which is not issued at that date.
 */
export type ChainName = "cross-signed" | "self-signed" | "own" | "switched" | "as-uploaded" | "none";

/**
 * The chain that a certificate is served with at a date (ms since the epoch) (docs/service.md#ca-chain-change): of the
 * legacy-chain CA, what was issued or uploaded before 2024-09-09 keeps the cross-signed chain until that expires on
 * 2024-09-30, and has the self-signed root afterwards, as everything newer has. A user-defined upload is served as it came.
 */
export function chainOf(certificate: Certificate, at: number): ChainName {
  const since = certificate.since === undefined ? Number.NaN : Date.parse(certificate.since);
  if (certificate.issuing === undefined || !(since <= at)) return "none";
  if (certificate.issuing !== LEGACY_AUTHORITY) return "own";
  if (certificate.bundling === "force") return "as-uploaded";
  if (isSwitched(certificate) && since < SWITCH && at >= SWITCH) return "switched";
  return since < LAST_BUNDLED && at < CROSS_SIGN_EXPIRES ? "cross-signed" : "self-signed";
}

/** Whether the service changes the CA by itself: of managed certificates that nobody set to that CA, and never of Total TLS. */
export function isSwitched({ kind, bundling, chosen }: Certificate): boolean {
  if (bundling !== "managed" || kind === "total_tls" || kind === "total_tls_setting") return false;
  return kind === "universal" || chosen === "default";
}
