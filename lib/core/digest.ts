import { createHash, hash } from "node:crypto";
import { type Digest, brandDigest } from "./brand.ts";
import { type Json, canonical } from "./json.ts";

/** The digest of a JSON value over its canonical text: equal values have equal digests, whatever the order of their keys. */
export function digest(value: Json): Digest {
  return digestOfText(canonical(value));
}

/** The digest of a text, in UTF-8. */
export function digestOfText(text: string): Digest {
  return brandDigest(`sha256:${hash("sha256", text, "hex")}`);
}

/** The first 16 hex digits of a text's SHA-256: enough to detect damage, short enough for every line of a journal. */
export function checksum(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}

/** An incremental SHA-256, for data that need not fit into memory. `hex` ends it: 64 hex digits. */
export interface RunningDigest {
  add(part: string | Uint8Array): void;
  hex(): string;
}

/** Starts a running digest; texts are hashed as UTF-8. */
export function runningDigest(): RunningDigest {
  const hash = createHash("sha256");
  return {
    add: (part) => {
      hash.update(part);
    },
    hex: () => hash.digest("hex"),
  };
}

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
