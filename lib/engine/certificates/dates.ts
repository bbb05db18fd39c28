/**
 * The dates of the CA chain change (docs/service.md#ca-chain-change), in milliseconds since the epoch. It names days, and for
 * the first one only the month: each is taken to begin at midnight UTC.
 */

/** Managed certificates that were not explicitly set to the legacy-chain CA are switched to another one. */
export const SWITCH: number = Date.UTC(2024, 5, 1);

/** The cross-signed chain is no longer used in issuance and bundling. */
export const LAST_BUNDLED: number = Date.UTC(2024, 8, 9);

/** The cross-signed chain expires. */
export const CROSS_SIGN_EXPIRES: number = Date.UTC(2024, 8, 30);
