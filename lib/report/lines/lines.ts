import { styleText } from "node:util";
import { neverCommand, escape } from "../escape/terminal.ts";

/** The kind of a line, for its colour; the words alone also say it. */
export type Style = "plain" | "heading" | "good" | "warn" | "bad" | "quiet";

/** One line of a text for people; its text need not be escaped yet. `indent` counts columns. */
export interface Line {
  readonly indent: number;
  readonly text: string;
  readonly style?: Style;
  /** Parts of the text in their own colours. */
  readonly accents?: readonly Accent[];
  /** Never wrapped, like the row of a table. */
  readonly isWhole?: true;
  /** A remark beside the text, at the right margin if there is one: an origin, or a name. */
  readonly aside?: string;
  /** The indentation of the rest of a wrapped line; 2 by default. */
  readonly hang?: number;
}

/** A part of a text, from one index to before another, and its colour. */
export interface Accent {
  readonly from: number;
  readonly to: number;
  readonly style: Style;
}

/** How to print a text. */
export interface Printing {
  readonly colour: boolean;
  /**
   * The width at which to wrap lines; absent, as for a pipe or a file: lines are never wrapped, so that grep finds
   * whole lines.
   */
  readonly columns?: number;
  /** Completes a command that is printed for the user to paste; absent: it stays as it is. */
  readonly complete?: Complete;
}

/** Adds to a command that begins with `zoneform` the flags that it needs to work where the printing command worked. */
export type Complete = (command: string) => string;

/** The default indentation of the rest of a wrapped line. */
const HANG = 2;

const COLOURS = {
  heading: "bold",
  good: "green",
  warn: "yellow",
  bad: "red",
  quiet: "dim",
} as const satisfies Record<Exclude<Style, "plain">, string>;

/** The rightmost column for remarks, however wide the terminal is: the eye has to find them. */
const WIDEST_MARGIN = 100;

/** The column where remarks end if the width is unknown, as in a pipe. */
const USUAL_COLUMNS = 80;

/** No terminal is wider. Lines that may be longer have no end, and no margin for remarks. */
const LONGEST_LINE = 10_000;

/** The gap between a text and its remark. */
const GAP = "  ";

/** Makes a line. */
export function line(indent: number, text: string, style: Style = "plain", aside = ""): Line {
  return aside === "" ? { indent, text, style } : { indent, text, style, aside };
}

/** An empty line between sections. */
export const BLANK: Line = { indent: 0, text: "" };

/** Appends a list to another; `push(...items)` would overflow the stack at a hundred thousand. */
export function append<T>(target: T[], items: readonly T[]): void {
  for (const item of items) target.push(item);
}

/** Appends lines after an empty line, or nothing. */
export function appendSection(lines: Line[], section: readonly Line[]): void {
  if (section.length === 0) return;
  if (lines.length > 0) lines.push(BLANK);
  append(lines, section);
}

/** Appends a section with a title, unless it is empty. */
export function appendTitled(lines: Line[], title: string, parts: readonly (readonly Line[])[]): void {
  if (parts.length === 0) return;
  appendSection(lines, [line(0, title, "heading")]);
  for (const part of parts) append(lines, part);
}

/**
 * The line with `before -> after` in its text coloured: the old value dimmed, the new one bold, or red if it is
 * dangerous.
 */
export function withValues(given: Line, before: string, after: string, isDanger = false): Line {
  const from = given.text.indexOf(`${before} -> ${after}`);
  if (from < 0) return given;
  const next = from + before.length + " -> ".length;
  const accents: Accent[] = [
    { from, to: from + before.length, style: "quiet" },
    { from: next, to: next + after.length, style: isDanger ? "bad" : "heading" },
  ];
  return { ...given, accents: [...(given.accents ?? []), ...accents] };
}

/**
 * The text of lines. They are escaped here, at the one exit, so that no value gets past it; wrapped at spaces if there
 * is a width, with the rest indented; ended by a newline.
 */
export function printLines(lines: readonly Line[], printing: Printing): string {
  return lines.map((each) => `${printLine(each, printing)}\n`).join("");
}

function printLine(given: Line, printing: Printing): string {
  const { indent, text, style = "plain", isWhole, aside = "", hang = HANG } = given;
  const { colour, columns, complete = (command) => command } = printing;
  const whole = glued(escape(text.replace(TO_PASTE, (command) => complete(command))));
  const accents = colour ? placed(given) : [];
  const remark = escape(aside);
  const beside = remark === "" ? 0 : remark.length + GAP.length;
  const all = { from: 0, to: whole.length };
  const pieces = columns === undefined || isWhole ? [all] : wrap(whole, columns - indent - beside, hang);
  const margins = [" ".repeat(indent), " ".repeat(indent + hang)];
  return pieces
    .map((piece, index) => {
      const painted = paintPiece(whole, piece, { style, accents, colour });
      const rest = index === 0 ? placedRemark(indent + piece.to - piece.from, remark, columns) : "";
      return `${margins[Math.min(index, 1)]}${painted}${paint(rest, "quiet", colour)}`;
    })
    .join("\n");
}

/** A part of a text, from one index to before another. */
interface Piece {
  readonly from: number;
  readonly to: number;
}

/** The accents, moved to where their text is after escaping. */
function placed({ text, accents = [] }: Line): readonly Accent[] {
  const after = (place: number): number => escape(text.slice(0, place)).length;
  return accents.map(({ from, to, style }) => ({ from: after(from), to: after(to), style }));
}

function paintPiece(
  whole: string,
  { from, to }: Piece,
  { style, accents, colour }: { readonly style: Style; readonly accents: readonly Accent[]; readonly colour: boolean },
): string {
  const text = unglued(whole.slice(from, to));
  const safe = neverCommand(text);
  if (!colour || safe !== text) return paint(safe, style, colour);
  let painted = "";
  let at = from;
  for (const accent of accents) {
    const [begin, end] = [Math.max(at, accent.from), Math.min(to, accent.to)];
    if (begin >= end) continue;
    painted += paint(text.slice(at - from, begin - from), style, colour);
    painted += paint(text.slice(begin - from, end - from), accent.style, colour);
    at = end;
  }
  return painted + paint(text.slice(at - from), style, colour);
}

/**
 * The remark beside a text of that length: at the right margin, or directly after the text if the text is longer or
 * lines have no end.
 */
function placedRemark(length: number, remark: string, columns = USUAL_COLUMNS): string {
  if (remark === "") return "";
  const margin = columns > LONGEST_LINE ? 0 : Math.min(columns, WIDEST_MARGIN);
  return `${" ".repeat(Math.max(GAP.length, margin - length - remark.length))}${remark}`;
}

/**
 * Spaces at which no line is wrapped. The escaper makes these characters visible, so no text contains them by itself.
 */
const GLUE = "\u00a0";

/** A command that is the whole text or its end: users copy it whole. */
const COMMAND = /(?:(?<=: )|^)(?:[A-Z_]+=\S+ )*zoneform [a-z].*$/;

/** The same, if nothing follows the command, so that flags can be added at its end. */
const TO_PASTE = /(?:(?<=: )|^)(?:[A-Z_]+=\S+ )*zoneform [a-z][^;]*$/;

function glued(text: string): string {
  return text.replace(COMMAND, (command) => command.replaceAll(" ", GLUE));
}

function unglued(text: string): string {
  return text.replaceAll(GLUE, " ");
}

function paint(text: string, style: Style, colour: boolean): string {
  if (!colour || style === "plain" || text === "") return text;
  return styleText(COLOURS[style], text, { validateStream: false });
}

function wrap(text: string, width: number, hang: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let room = width;
  while (text.length - from > room) {
    const rest = text.slice(from);
    const at = breakBefore(rest, room);
    if (at === undefined) break;
    pieces.push({ from, to: from + rest.slice(0, at).trimEnd().length });
    from += at + (rest.length - at - rest.slice(at).trimStart().length);
    room = width - hang;
  }
  return [...pieces, { from, to: text.length }];
}

/**
 * Where to wrap a text: at the last space that fits, but beside an arrow only if the line would be half empty
 * otherwise. If nothing fits, at the first space, so that a long name stays whole.
 */
function breakBefore(text: string, room: number): number | undefined {
  const last = text.lastIndexOf(" ", room);
  let at = last;
  while (at > room / 2 && isBesideArrow(text, at)) at = text.lastIndexOf(" ", at - 1);
  const best = [at > room / 2 ? at : last, text.indexOf(" ", room)].find((place) => place > 0);
  return best !== undefined && text.slice(best).trim() !== "" && text.slice(0, best).trim() !== "" ? best : undefined;
}

function isBesideArrow(text: string, at: number): boolean {
  return text.startsWith("->", at + 1) || text.endsWith("->", at);
}
