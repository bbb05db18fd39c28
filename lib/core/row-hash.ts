import { hash } from "node:crypto";

/** How many characters a row's hash has: 48 bits, so that two of 100,000 rows share one once in 60,000 such files. */
export const ROW_HASH_LENGTH = 8;

/**
 * The short hash of a source's row. It is made of the hostname alone, which the state names anyway: a change of another
 * cell is no other row, and nothing that is secret in a row gets into the state.
 */
export function hashRow(hostname: string): string {
  return hash("sha256", hostname, "base64url").slice(0, ROW_HASH_LENGTH);
}

/** The hashes of rows, which stand behind each other in one text. */
export function splitRowHashes(hashes: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < hashes.length; at += ROW_HASH_LENGTH) found.push(hashes.slice(at, at + ROW_HASH_LENGTH));
  return found;
}
