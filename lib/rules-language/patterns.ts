import type { Span, TextLiteral } from "./ast.ts";
import { findFault, type PatternFault } from "./regex.ts";
import type { Scanner } from "./scanner.ts";
import { placesOf } from "./strings.ts";

/** Reports what is wrong with a regular expression. */
export function checkRegex(scanner: Scanner, literal: TextLiteral): boolean {
  return report(scanner, literal, findFault(literal.value));
}

/** Reports what is wrong with a wildcard: `*` stands for any text, `\*` and `\\` for themselves. */
export function checkWildcard(scanner: Scanner, literal: TextLiteral): boolean {
  return report(scanner, literal, findWildcardFault(literal.value));
}

function findWildcardFault(pattern: string): PatternFault | undefined {
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") {
      const next = pattern[at + 1];
      if (next !== "*" && next !== "\\") {
        const message = "in a wildcard \\ only stands in front of * and \\";
        return { message, start: at, end: at + 1, remedy: "double the backslash" };
      }
      at += 1;
    } else if (pattern.startsWith("**", at)) {
      return { message: "a wildcard may not have two * in a row", start: at, end: at + 2, remedy: "write one *" };
    }
  }
  return undefined;
}

function report(scanner: Scanner, literal: TextLiteral, fault: PatternFault | undefined): boolean {
  if (fault === undefined) return true;
  scanner.report("bad-pattern", spanOfFault(scanner, literal, fault), fault.message, fault.remedy);
  return false;
}

/** Where a part of a string's value stands in the text. */
function spanOfFault({ text }: Scanner, { span, value, hashes }: TextLiteral, fault: PatternFault): Span {
  const start = span.start + (hashes === undefined ? 1 : hashes + 2);
  const places = placesOf(text, start, value);
  if (places === undefined) return span;
  const from = places[fault.start] ?? start;
  return { start: from, end: Math.max(from, places[fault.end] ?? span.end) };
}
