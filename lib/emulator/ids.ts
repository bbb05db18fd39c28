import { createHash } from "node:crypto";

/** Ids and fractions that follow from a seed alone: the same seed and the same calls give the same ids. */
export interface Ids {
  /** This many hexadecimal digits in lower case. */
  hex(length: number): string;
  /** 36 characters in the form of a random UUID. */
  uuid(): string;
  /** A number in [0, 1). */
  fraction(): number;
  /** The state of the generator, from which `createIds` can continue. */
  state(): readonly number[];
}

/** Creates the generator for a seed (any integer), or continues one from its state. */
export function createIds(seed: number, state?: readonly number[]): Ids {
  let [a = 0, b = 0, c = 0, d = 1] = state ?? [0x9e3779b9, 0x243f6a88, seed | 0, 1];
  const next = (): number => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // The first outputs of this generator (sfc32) still show the seed's pattern.
  if (state === undefined) for (let round = 0; round < 15; round++) next();
  const hex = (length: number): string => {
    let text = "";
    while (text.length < length) text += next().toString(16).padStart(8, "0");
    return text.slice(0, length);
  };
  return { hex, uuid: () => asUuid(hex(32)), fraction: () => next() / 4294967296, state: () => [a, b, c, d] };
}

/** A hexadecimal digest of the label, for values that must not depend on the order of calls. */
export function derive(label: string): string {
  return createHash("sha256").update(label).digest("hex");
}

/** Writes 32 hexadecimal digits in the form of a version 4 UUID. */
export function asUuid(hex: string): string {
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
