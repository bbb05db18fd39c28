/**
 * The dates of the CA chain change (docs/service.md#ca-chain-change), in milliseconds since the epoch. The description names days;
 * each begins at midnight UTC (for the first: docs/service-coverage.md#choices, row 15; for the others inferred).
 */

/** Managed certificates that were not explicitly set to the legacy-chain CA switch to another one. */
export const AUTHORITY_SWITCH: number = Date.UTC(2024, 5, 1);

/** The service no longer uses the cross-signed chain in issuance and bundling. */
export const CROSS_SIGNED_STOPS: number = Date.UTC(2024, 8, 9);

/** The cross-signed chain expires. */
export const CROSS_SIGNED_EXPIRES: number = Date.UTC(2024, 8, 30);
