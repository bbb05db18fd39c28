import type { CST } from "yaml";

/** Deeper than any sensible file. The YAML library recurses for every level, and would overflow the stack. */
export const MOST_LEVELS = 64;

/** The offset at which a document is nested too deeply, or undefined. Does not recurse. */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const open = tokens.map((token) => ({ token, level: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.level > MOST_LEVELS) return next.token.offset;
    for (const token of inside(next.token)) open.push({ token, level: next.level + Number("items" in token) });
  }
  return undefined;
}

/** The tokens directly inside a token. */
export function inside(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== null && part !== undefined));
}

/**
 * More values than this would fill the memory of a small machine: each takes about a kilobyte. A zone file with 100,000
 * hostnames on one line each has about 700,000.
 */
const MOST_VALUES = 1_500_000;

/** An alias stands for a whole value, and takes the YAML library longest. */
const VALUES_OF_AN_ALIAS = 15;

/**
 * The offset at which a file has too many values to be read. Counts the characters that begin values, before parsing.
 */
export function tooManyValuesAt(text: string): number | undefined {
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    values += weightAt(text, index);
    if (values > MOST_VALUES) return index;
  }
  return undefined;
}

/** Counts newlines, commas, colons and opening brackets, and an asterisk that follows one of them or a blank. */
function weightAt(text: string, index: number): number {
  switch (text.charCodeAt(index)) {
    case 0x0a:
    case 0x2c:
    case 0x3a:
    case 0x5b:
    case 0x7b:
      return 1;
    case 0x2a:
      return /[\s,:[{]/.test(text.charAt(index - 1)) ? VALUES_OF_AN_ALIAS : 0;
    default:
      return 0;
  }
}
