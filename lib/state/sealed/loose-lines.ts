import type { Seal } from "../local/upkeep.ts";
import type { Cipher } from "./cipher.ts";
import { isPlain, isSealed, openLine, type Opening, type Part } from "./lines.ts";

/** A line end that was lost or gained moves the lines behind it; so far away whoever mends a file looks for their places. */
const FARTHEST = 8;

/** What stands for a line that is not sealed where all should be: no line that anybody could take for a whole one. */
const NOT_OURS = "";

/**
 * As `openLines`, for whoever mends what is damaged: refuses nothing, and finds lines that are not where they were. One that
 * is not sealed where all should be is emptied, so that nobody keeps what somebody without the passphrase put there.
 */
export async function* openLoosely(opening: Opening, lines: AsyncIterable<string>): AsyncIterable<string> {
  let number = 0;
  let shift = 0;
  for await (const line of lines) {
    number += 1;
    const ciphers = await opening.ciphers();
    const found = isSealed(line) ? nearest(opening.part, ciphers, number, shift, line) : undefined;
    shift = found?.shift ?? shift;
    const isStrange = ciphers.length > 0 && !opening.acceptsPlain && isPlain(line);
    yield isStrange ? NOT_OURS : (found?.text ?? line);
  }
}

/** Whether any of the lines is sealed, and whether one of those opens, in its place or near it. */
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
