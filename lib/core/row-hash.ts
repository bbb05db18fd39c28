import { hash } from "node:crypto";

/** The length of a row's hash: 48 bits, so that a file of 100,000 rows has a collision only once in 60,000 files. */
export const ROW_HASH_LENGTH = 8;

/**
 * The short hash of a source's row. It covers only the hostname, which the state contains anyway: changing another cell
 * does not make it another row, and no secret of a row gets into the state.
 */
export function hashRow(hostname: string): string {
  return hash("sha256", hostname, "base64url").slice(0, ROW_HASH_LENGTH);
}

/** Splits a text of concatenated row hashes. */
export function splitRowHashes(hashes: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < hashes.length; at += ROW_HASH_LENGTH) found.push(hashes.slice(at, at + ROW_HASH_LENGTH));
  return found;
}
