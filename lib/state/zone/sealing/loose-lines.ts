import type { Seal } from "../../engine.ts";
import type { Cipher } from "./cipher.ts";
import { inOneOrigin, isPlain, isSealed, openLine, type Opening, type Part } from "./lines.ts";

/** How far away a repair looks for the original place of a line: a lost or added line end moves the lines after it. */
const FARTHEST = 8;

/** Replaces a line that was written without the passphrase; it cannot be mistaken for a complete line. */
const NOT_OURS = "";

/**
 * Like `openLines`, for repairs: it refuses nothing, and finds lines that moved. It empties an unencrypted line where
 * all should be encrypted, and a line of another lineage or an earlier epoch, so that nothing that was written without
 * the passphrase is kept.
 */
export async function* openLoosely(opening: Opening, lines: AsyncIterable<string>): AsyncIterable<string> {
  const isNext = inOneOrigin(opening.part);
  let number = 0;
  let shift = 0;
  for await (const line of lines) {
    number += 1;
    const ciphers = await opening.ciphers();
    const found = isSealed(line) ? nearest(opening.part, ciphers, number, shift, line) : undefined;
    shift = found?.shift ?? shift;
    const isUnsealed = ciphers.length > 0 && !opening.acceptsPlain && isPlain(line);
    const isStrange = isUnsealed || (found !== undefined && !isNext(line));
    yield isStrange ? NOT_OURS : (found?.text ?? line);
  }
}

/** Whether any of the lines is encrypted, and whether one of them can be decrypted, in its place or near it. */
export async function sealOf({ part, ciphers }: Opening, lines: AsyncIterable<string>): Promise<Seal> {
  let number = 0;
  let found: Seal = "none";
  for await (const line of lines) {
    number += 1;
    if (!isSealed(line)) continue;
    if (nearest(part, await ciphers(), number, 0, line)) return "open";
    found = "closed";
  }
  return found;
}

function nearest(
  part: Part,
  ciphers: readonly Cipher[],
  number: number,
  shift: number,
  line: string,
): { readonly text: string; readonly shift: number } | undefined {
  for (let distance = 0; distance <= FARTHEST; distance += 1) {
    for (const candidate of distance === 0 ? [shift] : [shift - distance, shift + distance]) {
      const text = openLine(part, ciphers, number + candidate, line);
      if (text !== undefined) return { text, shift: candidate };
    }
  }
  return undefined;
}
