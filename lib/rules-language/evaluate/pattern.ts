import { RE2JS } from "re2js";
import { bytesAsUnits, textOfUnits } from "./text.ts";

/** A regular expression that was compiled. It takes time in proportion to the text, whatever the expression is. */
export interface Pattern {
  matches(text: string): boolean;
  /** The text before the first match, the groups of the match (the whole one first) and the text after it. */
  first(text: string): Match | undefined;
}

/** Where a regular expression matched. */
export interface Match {
  readonly before: string;
  readonly groups: readonly string[];
  readonly after: string;
}

/** How many compiled expressions are kept; more than a zone may have. */
const KEPT = 1000;
const compiled = new Map<string, Pattern | undefined>();

/**
 * Compiles a regular expression of the service's dialect (Rust's), and keeps it for the next time. Undefined if it is none, or
 * has what our engine cannot do: operations between classes (`[a-z&&[^b]]`), comments (the flag `x`), one end of a word (`\<`).
 */
export function patternOf(source: string): Pattern | undefined {
  if (compiled.has(source)) return compiled.get(source);
  if (compiled.size >= KEPT) compiled.clear();
  const pattern = compilePattern(source);
  compiled.set(source, pattern);
  return pattern;
}

function compilePattern(source: string): Pattern | undefined {
  // Unless it has the flag `u`, an expression is about bytes.
  const isOfBytes = !/\(\?[a-zA-Z]*u/.test(source);
  const [read, write] = isOfBytes ? [bytesAsUnits, textOfUnits] : [(text: string) => text, (text: string) => text];
  try {
    const expression = RE2JS.compile(translate(source, isOfBytes));
    return {
      matches: (text) => expression.test(read(text)),
      first: (text) => {
        const units = read(text);
        const matcher = expression.matcher(units);
        if (!matcher.find()) return undefined;
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) =>
          write(matcher.group(group) ?? ""),
        );
        return { before: write(units.slice(0, matcher.start())), groups, after: write(units.slice(matcher.end())) };
      },
    };
  } catch {
    return undefined;
  }
}

/** Characters by their number, and what else begins with a backslash. */
const ESCAPES = /\\[uUx]\{([0-9A-Fa-f]+)\}|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\[^]/g;

/** What our engine writes in another way, or does not have: characters, ends of words, classes as a whole, and flags. */
const PARTS = /(\\b\{[a-z-]+\}|\\[<>])|\\x\{([0-9a-f]+)\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|\(\?[a-zA-Z-]+[:)]|[^\0-\x7f]/gu;

/** An expression as our engine writes it. Throws if that is not possible. */
function translate(source: string, isOfBytes: boolean): string {
  const written = source.replaceAll(ESCAPES, (escape: string, ...codes: (string | undefined)[]) => {
    const code = codes.slice(0, 3).find((digits) => digits !== undefined);
    return code === undefined ? escape : `\\x{${Number.parseInt(code, 16).toString(16)}}`;
  });
  return written.replaceAll(PARTS, (part: string, end?: string, code?: string) => {
    if (end !== undefined) throw new Error("one end of a word");
    if (part.startsWith("[")) return withoutOperations(part);
    if (part.startsWith("(")) return withoutFlags(part);
    const character = code === undefined ? part : String.fromCodePoint(Number.parseInt(code, 16));
    return isOfBytes && /^[^\0-\x7f]/.test(character) ? `(?:${bytesAsUnits(character)})` : part;
  });
}

/** A class, if it is not made of other ones. */
function withoutOperations(part: string): string {
  if (/&&|--|~~|.\[(?!:)/.test(part.replaceAll(/\\[^]/g, ""))) throw new Error("operations between classes");
  return part;
}

/** Flags without `u`, which our engine does not know. */
function withoutFlags(part: string): string {
  if (part.includes("x")) throw new Error("comments");
  return part
    .replaceAll("u", "")
    .replace(/-(?=[:)])/, "")
    .replace("(?)", "");
}
