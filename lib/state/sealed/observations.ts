import type { Cipher } from "./cipher.ts";
import { sealedFault } from "./faults.ts";
import { isPlain, isSealed, type Opening } from "./lines.ts";

/**
 * Lines of several runs come in any order, so a line has no number that it could be bound to. Copying, moving or
 * removing one changes nothing that matters: of two observations of a hostname, the newer one counts.
 */
const PLACE = "observations";

/** Replaces a line that does not open, or that nobody with the passphrase wrote: it is not an observation. */
const UNREADABLE = "{}";

/** Seals the lines if there is a cipher. */
export function sealObservations(cipher: Cipher | undefined, lines: readonly string[]): readonly string[] {
  return cipher ? lines.map((line) => cipher.seal(PLACE, line)) : lines;
}

/** Opens the lines. A line that does not open stops nobody; without a passphrase, sealed ones throw `StateError`. */
export async function* openObservations(
  { ciphers, acceptsPlain, where }: Omit<Opening, "part">,
  lines: AsyncIterable<string>,
): AsyncIterable<string> {
  for await (const line of lines) {
    const keys = await ciphers();
    if (keys.length === 0) {
      if (isSealed(line)) throw sealedFault(where);
      yield line;
    } else if (isPlain(line)) yield acceptsPlain ? line : UNREADABLE;
    else yield openedBy(keys, line);
  }
}

function openedBy(ciphers: readonly Cipher[], line: string): string {
  for (const cipher of ciphers) {
    const opened = cipher.open(PLACE, line);
    if (opened !== undefined) return opened;
  }
  return UNREADABLE;
}
