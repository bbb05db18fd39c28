import { gunzipSync, gzipSync } from "node:zlib";

/** Lines that are seldom read, compressed: each write sends all of them. */
export type Packed = string;

/** Packs lines. */
export function pack(lines: readonly string[]): Packed {
  return gzipSync(lines.map((line) => `${line}\n`).join("")).toString("base64");
}

/** The lines of a pack. Throws an `Error` if it is none. */
export function unpack(packed: Packed): readonly string[] {
  return gunzipSync(Buffer.from(packed, "base64")).toString("utf8").split("\n").slice(0, -1);
}
