import type { Scanner } from "./scanner.ts";

/** Says what stands where it does not belong, and what people usually mean by it. */
export function reportUnexpected(scanner: Scanner, remedy?: string): void {
  const span = scanner.spanOfWord();
  const word = scanner.textOf({ span });
  if (word === "") {
    scanner.report("syntax", span, "the expression ends too early", remedy ?? "write a condition here");
    return;
  }
  const habit = HABITS.find(({ pattern }) => pattern.test(word));
  scanner.report("syntax", span, habit?.message ?? `unexpected ${word}`, habit?.remedy ?? remedy);
}

/** Steps over the bracket that closes the one at a place. Reports it if it is missing. */
export function closeBracket(scanner: Scanner, opened: number): boolean {
  const open = scanner.text.charAt(opened);
  const bracket = open === "(" ? ")" : "]";
  scanner.skipSpace();
  if (scanner.take(bracket)) return true;
  const span = { start: opened, end: opened + 1 };
  if (!scanner.isAtEnd) reportUnexpected(scanner);
  else if (!scanner.isCutShort) {
    scanner.report("syntax", span, `this ${open} is never closed`, `close it with a ${bracket}`);
  }
  return false;
}

/** What people write out of habit from other languages. */
const HABITS: readonly { readonly pattern: RegExp; readonly message: string; readonly remedy?: string }[] = [
  {
    pattern: /^(?:AND|OR|XOR|NOT|And|Or|Not)$/,
    message: "operators are written in lower case",
    remedy: "write and, or, xor or not",
  },
  { pattern: /^['‘’“”]/, message: "strings are written in straight double quotes", remedy: 'write "…"' },
  { pattern: /^\t/, message: "a tab is not allowed here", remedy: "write a blank" },
  { pattern: /^(?:\/\/|#)/, message: "an expression has no comments", remedy: "use the description of the rule" },
  { pattern: /^&$/, message: "a single & works on whole numbers only", remedy: "write and" },
  { pattern: /^\|$/, message: "there is no operator |", remedy: "write or" },
];
