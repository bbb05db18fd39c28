import type { CST } from "yaml";

/** Deeper than any sensible file; the YAML library calls itself for every level, and would run out of stack. */
export const MOST_LEVELS = 64;

/** The offset at which a document gets deeper than allowed, or undefined. Walks without calling itself. */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const open = tokens.map((token) => ({ token, level: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.level > MOST_LEVELS) return next.token.offset;
    for (const token of inside(next.token)) open.push({ token, level: next.level + Number("items" in token) });
  }
  return undefined;
}

function inside(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== null && part !== undefined));
}
