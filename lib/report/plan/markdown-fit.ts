import { markdownFence } from "../escape/markdown.ts";
import { type Line, line, printLines } from "../lines/lines.ts";
import { counted, thousands } from "../../core/words.ts";

/** A part that is shown whole or not at all. Its lines are made on demand, and kept only if they fit. */
export interface Piece {
  readonly sort: Sort;
  readonly count: number;
  /** It adds to the piece before it, and makes no sense without it. */
  readonly isMore?: true;
  lines(): readonly Line[];
}

/** A separate line of Markdown, and how many zones it covers; left out if it does not fit. */
export interface Words {
  readonly words: string;
  readonly zones: number;
}

/** Pieces in one fence, with Markdown around it. */
export interface Section {
  readonly opening: string;
  readonly closing: string;
  /** Lines that are always shown. A section without any is left out if none of its pieces fits. */
  readonly always?: readonly Line[];
  readonly pieces: readonly Piece[];
}

/** A part of the comment; an empty line comes before each. */
export type Part = Words | Section;

/** The parts that fit the budget. */
export interface Fitted {
  readonly text: string;
  /** What did not fit. */
  readonly hidden: Counts;
}

/**
 * Fits as many pieces as possible into the given number of characters, in order. A piece that is too long takes no room
 * from others: later ones may still fit. With `isCut` each section also says what it leaves out.
 */
export function fit(parts: readonly Part[], budget: number, redact: Redact, isCut: boolean): Fitted {
  const opened = parts.map((part) => ("words" in part ? part : open(part, redact, isCut)));
  let room = budget - opened.reduce((kept, part) => kept + keptOf(part), 0);
  const written: string[] = [];
  const hidden: Counts[] = [];
  for (const part of opened) {
    const available = room + keptOf(part);
    const filled = "words" in part ? fitWords(part, available) : fill(part, available, redact);
    room = available - filled.text.length;
    written.push(filled.text);
    hidden.push(filled.hidden);
  }
  return { text: written.join(""), hidden: sum(hidden.flatMap((counts) => [...counts])) };
}

/** How much room to reserve for a part until its turn. */
function keptOf(part: Words | Opened): number {
  return "words" in part || part.always === undefined ? 0 : part.least;
}

function fitWords({ words, zones }: Words, room: number): Fitted {
  const isFitting = words.length + 1 <= room;
  return { text: isFitting ? `\n${words}` : "", hidden: sum(isFitting ? [] : [["zones", zones]]) };
}

interface Opened extends Section {
  readonly first: FencedText;
  /** The greatest length of its note about left-out pieces; 0 without a note. */
  readonly noteLength: number;
  /** Its length without any piece. */
  readonly least: number;
}

function open(section: Section, redact: Redact, isCut: boolean): Opened {
  const first = fencedText(section.always ?? [], redact);
  const noteLength = isCut ? note(countsOf(section), countsOf(section)).length : 0;
  const opened = { ...section, first, noteLength };
  return { ...opened, least: lengthOf(opened, first.ticks, first.text.length) };
}

/** The length of a section with this text in its fence, including a note and the empty line before it. */
function lengthOf({ opening, closing, noteLength }: Omit<Opened, "least">, ticks: number, inside: number): number {
  return 1 + opening.length + fenceLength(ticks) + inside + noteLength + closing.length;
}

function fill(section: Opened, room: number, redact: Redact): Fitted {
  const shown = [section.first.text];
  const hidden: Piece[] = [];
  let inside = section.first.text.length;
  let ticks = section.first.ticks;
  let isLastShown = false;
  for (const piece of section.pieces) {
    if (piece.isMore && !isLastShown) {
      hidden.push(piece);
      continue;
    }
    const made = fencedText(piece.lines(), redact);
    const [nextTicks, nextInside] = [Math.max(ticks, made.ticks), inside + made.text.length];
    const isFitting = lengthOf(section, nextTicks, nextInside) <= room;
    if (!piece.isMore) isLastShown = isFitting;
    if (isFitting) {
      shown.push(made.text);
      [ticks, inside] = [nextTicks, nextInside];
    } else hidden.push(piece);
  }
  const counts = sum(hidden.map(({ sort, count }) => [sort, count]));
  if (section.always === undefined && hidden.length === section.pieces.length) return { text: "", hidden: counts };
  if (section.noteLength > 0 && hidden.length > 0) shown.push(note(counts, countsOf(section)));
  return { text: `\n${section.opening}${fence(shown)}${section.closing}`, hidden: counts };
}

function note(hidden: Counts, all: Counts): string {
  return fencedText([line(0, `not shown here: ${formatHidden(hidden, all)}`)], (text) => text).text;
}

/** The contents of a part, counted. */
export function countsOf(part: Part): Counts {
  return sum("words" in part ? [["zones", part.zones]] : part.pieces.map(({ sort, count }) => [sort, count]));
}

/** A browser colours lines that begin with `+`, `-` and `!`, the marks of changes and hazards. */
const LANGUAGE = "diff";

/** Lines have no end: a block of code scrolls sideways, and what is copied from it is complete. */
const UNBROKEN = { colour: false, columns: Number.MAX_SAFE_INTEGER };

/** Removes known secrets from a text. It has to run before the escaper, which spells them differently. */
export type Redact = (text: string) => string;

/** Lines as they appear inside a fence. */
interface FencedText {
  /** Escaped; ends with a newline. */
  readonly text: string;
  /** How many backticks a fence around it needs. */
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

/** A line with its mark in the first column, because a browser colours it only there. */
function atFirstColumn(given: Line): Line {
  const { indent, text } = given;
  return indent > 0 && MARKED.test(text)
    ? { ...given, indent: 0, text: `${text[0]}${" ".repeat(indent)}${text.slice(1)}` }
    : given;
}

const MARKED = /^[-+!] /;

/** The fence around texts that `fencedText` returned. */
function fence(texts: readonly string[]): string {
  return markdownFence(texts.join(""), LANGUAGE);
}

/**
 * The length of the fence around texts, without the texts: two rows of backticks with their newlines, and the language.
 */
function fenceLength(ticks: number): number {
  return 2 * (ticks + 1) + LANGUAGE.length;
}

/** What to count in the parts of a plan. */
export type Sort = keyof typeof NOUNS;

/**
 * A change with two hazards counts as two hazards. A zone counts only for its row of the table; its contents count
 * separately.
 */
const NOUNS = {
  hazards: "hazard",
  lostRules: "lost rule",
  rules: "changed rule",
  changes: "change",
  held: "held object",
  letGo: "object with released fields",
  findings: "finding",
  gone: "hostname that is gone",
  zones: "zone",
} as const;

/** How many there are of each sort. */
export type Counts = ReadonlyMap<Sort, number>;

/** Adds up counts. */
export function sum(parts: Iterable<readonly [Sort, number]>): Counts {
  const total = new Map<Sort, number>();
  for (const [sort, count] of parts) if (count > 0) total.set(sort, (total.get(sort) ?? 0) + count);
  return total;
}

/** What is left out of the whole: `18,800 of 20,000 changes, 1 of 3 findings`; empty for nothing. */
export function formatHidden(hidden: Counts, all: Counts): string {
  const parts = SORTS.flatMap((sort) => {
    const count = hidden.get(sort) ?? 0;
    return count === 0 ? [] : [`${thousands(count)} of ${counted(all.get(sort) ?? 0, NOUNS[sort])}`];
  });
  return parts.join(", ");
}

const SORTS: readonly Sort[] = [
  "hazards",
  "lostRules",
  "rules",
  "changes",
  "held",
  "letGo",
  "findings",
  "gone",
  "zones",
];
