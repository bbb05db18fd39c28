import { bytesAsUnits, isUtf8, lowerAscii, textOfUnits } from "./text.ts";

/** A wildcard that was read. */
export interface Wildcard {
  /** The literal texts before, between and after its stars. */
  readonly pieces: readonly string[];
  readonly isStrict: boolean;
  /** Some of its bytes are no UTF-8, so that it is compared byte by byte. */
  readonly isOfBytes: boolean;
}

/** Reads a wildcard: `*` stands for any text, `\*` and `\\` for themselves. Unless it is strict, A to Z equal a to z. */
export function readWildcard(pattern: string, isStrict: boolean): Wildcard {
  const isOfBytes = !isUtf8(pattern);
  const pieces = [""];
  for (const token of (isOfBytes ? bytesAsUnits(pattern) : pattern).match(/\\[^]|[^]/g) ?? []) {
    if (token === "*") pieces.push("");
    else pieces.push((pieces.pop() ?? "") + (token.length > 1 && token.startsWith("\\") ? token.slice(1) : token));
  }
  return { pieces: isStrict ? pieces : pieces.map(lowerAscii), isStrict, isOfBytes };
}

/**
 * What the stars of a wildcard stand for in a text, each as little as possible. Undefined if the wildcard does not match the
 * whole text. The first place of each piece is the right one, so that it takes one pass.
 */
export function matchWildcard(wildcard: Wildcard, text: string): readonly string[] | undefined {
  const { pieces, isStrict, isOfBytes } = wildcard;
  const whole = isOfBytes ? bytesAsUnits(text) : text;
  const folded = isStrict ? whole : lowerAscii(whole);
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return folded === first ? [] : undefined;
  if (!folded.startsWith(first)) return undefined;
  const captures: string[] = [];
  let at = first.length;
  for (const piece of others) {
    const found = folded.indexOf(piece, at);
    if (found === -1) return undefined;
    captures.push(whole.slice(at, found));
    at = found + piece.length;
  }
  const end = whole.length - last.length;
  if (end < at || !folded.endsWith(last)) return undefined;
  captures.push(whole.slice(at, end));
  return isOfBytes ? captures.map(textOfUnits) : captures;
}
