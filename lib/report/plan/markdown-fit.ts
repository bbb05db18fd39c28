import { type Line, line } from "../lines/lines.ts";
import { type Counts, formatHidden, type Sort, sum } from "./markdown-counts.ts";
import { fence, type FencedText, fencedText, fenceLength, type Redact } from "./markdown-fence.ts";

/** What is shown whole or not at all. Its lines are made when they are needed, and kept only where they fit. */
export interface Piece {
  readonly sort: Sort;
  readonly count: number;
  /** It says more about the piece before it, and makes no sense without that. */
  readonly isMore?: true;
  lines(): readonly Line[];
}

/** A line of Markdown of its own, and how many zones it is about; left out where it does not fit. */
export interface Words {
  readonly words: string;
  readonly zones: number;
}

/** Pieces in one fence, with Markdown around it. */
export interface Section {
  readonly opening: string;
  readonly closing: string;
  /** Stands there whatever does not fit; a section without any is left out where none of its pieces fits. */
  readonly always?: readonly Line[];
  readonly pieces: readonly Piece[];
}

/** A part of the comment; an empty line stands before each. */
export type Part = Words | Section;

/** Parts within a budget. */
export interface Fitted {
  readonly text: string;
  /** What did not fit. */
  readonly hidden: Counts;
}

/**
 * As many pieces as fit into the given number of characters, in their order. A piece that is too long takes no room from others: what
 * comes behind it may still fit. With `isCut` each section also says what it does not show.
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

/** What is kept free for a part until it is its turn. */
function keptOf(part: Words | Opened): number {
  return "words" in part || part.always === undefined ? 0 : part.least;
}

function fitWords({ words, zones }: Words, room: number): Fitted {
  const isFitting = words.length + 1 <= room;
  return { text: isFitting ? `\n${words}` : "", hidden: sum(isFitting ? [] : [["zones", zones]]) };
}

interface Opened extends Section {
  readonly first: FencedText;
  /** Whether it says what it does not show, and how long that may be. */
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

/** The length of a section with so much in its fence, a note and the empty line before it included. */
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

/** What there is in a part. */
export function countsOf(part: Part): Counts {
  return sum("words" in part ? [["zones", part.zones]] : part.pieces.map(({ sort, count }) => [sort, count]));
}
