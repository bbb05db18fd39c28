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
