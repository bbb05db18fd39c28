import { toUSVString } from "node:util";

/** What a path of keys and positions leads to in a JSON document, if that is a string. */
export function stringInJson(document: string, path: readonly (string | number | bigint)[]): string | undefined {
  const found = find(document, path);
  return found?.startsWith("s") ? toUSVString(found.slice(1)) : undefined;
}

/** What a path leads to, if that is a whole number of 64 bits without a point or an exponent. */
export function integerInJson(document: string, path: readonly (string | number | bigint)[]): bigint | undefined {
  const found = find(document, path);
  if (found === undefined || !/^n-?[0-9]+$/.test(found)) return undefined;
  const number = BigInt(found.slice(1));
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** A string, and what has to be a number outside of strings. */
const TOKENS = /"((?:[^"\\]|\\[^])*)"|-?[0-9][0-9.eE+-]*/g;

/**
 * `JSON.parse` would round large numbers, and not tell 42 from 42.0. So each number becomes a string of its digits after `n`, and
 * each string, a key too, begins with `s`.
 */
function find(document: string, path: readonly (string | number | bigint)[]): string | undefined {
  let at: unknown;
  try {
    JSON.parse(document);
    at = JSON.parse(
      document.replaceAll(TOKENS, (token, text?: string) => (text === undefined ? `"n${token}"` : `"s${text}"`)),
    );
  } catch {
    return undefined;
  }
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    const name = typeof key === "string" ? `s${key}` : String(key);
    if (Array.isArray(at) === (typeof key === "string") || !Object.hasOwn(at, name)) return undefined;
    at = Object.entries(at).find(([candidate]) => candidate === name)?.[1];
  }
  return typeof at === "string" ? at : undefined;
}
