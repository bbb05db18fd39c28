import { markdownFence } from "../escape/markdown.ts";
import { type Line, printLines } from "../lines/lines.ts";

/** A browser colours what begins with `+`, `-` and `!`, as the marks of changes and hazards do. */
const LANGUAGE = "diff";

/** Lines have no end: a block of code is scrolled sideways, and what is copied out of it is whole. */
const UNBROKEN = { colour: false, columns: Number.MAX_SAFE_INTEGER };

/** Takes known secrets out of a text. It has to come before the escaper, which spells them in another way. */
export type Redact = (text: string) => string;

/** Lines as they stand inside of a fence. */
export interface FencedText {
  /** Escaped; ends with a newline. */
  readonly text: string;
  /** How many backticks a fence around it takes. */
  readonly ticks: number;
}

/** Lines for a fence, without known secrets. */
export function fencedText(lines: readonly Line[], redact: Redact): FencedText {
  const printed = lines
    .map((each) => printLines([atFirstColumn({ ...each, text: redact(each.text) })], UNBROKEN))
    .join("");
  const block = markdownFence(printed, LANGUAGE);
  const ticks = block.indexOf(LANGUAGE);
  return { text: lines.length === 0 ? "" : block.slice(ticks + LANGUAGE.length + 1, -(ticks + 1)), ticks };
}

/** A line with its mark in the first column, because only there a browser colours it. */
function atFirstColumn(given: Line): Line {
  const { indent, text } = given;
  return indent > 0 && MARKED.test(text)
    ? { ...given, indent: 0, text: `${text[0]}${" ".repeat(indent)}${text.slice(1)}` }
    : given;
}

const MARKED = /^[-+!] /;

/** The fence around texts that `fencedText` gave. */
export function fence(texts: readonly string[]): string {
  return markdownFence(texts.join(""), LANGUAGE);
}

/** How long the fence around texts is, without the texts: two rows of backticks with their newlines, and the language. */
export function fenceLength(ticks: number): number {
  return 2 * (ticks + 1) + LANGUAGE.length;
}
