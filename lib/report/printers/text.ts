import { styleText } from "node:util";
import { neverCommand, escape } from "../escape/terminal.ts";
import { type Accent, append, appendSection, BLANK, type Line, line, type Style } from "../lines/lines.ts";
import type { Report, Section, Table } from "../sections/report.ts";

/** How to print a text. */
export interface Printing {
  readonly colour: boolean;
  /**
   * The width at which to wrap lines; absent, as for a pipe or a file: lines are never wrapped, so that grep finds
   * whole lines.
   */
  readonly columns?: number;
  /** Names every object, instead of the first ones of a long list. */
  readonly isFull?: boolean;
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

/** Any report as text for a terminal or a file. Every line can be understood without colour. */
export function reportText({ verdict, sections }: Report, printing: Printing): string {
  const lines: Line[] = [verdict];
  for (const section of sections) appendSection(lines, sectionLines(section));
  return printLines(
    lines.flatMap((each) => shownLines(each, printing)),
    printing,
  );
}

function sectionLines({ title, table, items, isSpaced }: Section): Line[] {
  const lines: Line[] = title === undefined ? [] : [title];
  if (table !== undefined) append(lines, tableLines(table));
  let last = isSpaced && lines.length > 0 ? Infinity : 0;
  for (const each of items) {
    const { length } = each.lines;
    if (length === 0) continue;
    if (isSpaced && !each.isMore && last > 0 && (last > 1 || length > 1)) lines.push(BLANK);
    append(lines, each.lines);
    last = each.isMore ? last + length : length;
  }
  return lines;
}

/** A list of names is printed whole or cut; a line may be meant for only one of the two. */
function shownLines(given: Line, { isFull = false }: Printing): readonly Line[] {
  const { only, names, indent } = given;
  if (only !== undefined && isFull !== (only === "full")) return [];
  return isFull && names !== undefined && names.all.length > names.most
    ? names.all.map((name) => line(indent, name, "quiet"))
    : [given];
}

/** A table, numbers aligned right. */
function tableLines({ titles, rows }: Table): Line[] {
  const names = Math.max(...rows.map(({ name }) => name.length));
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  const row = (name: string, cells: readonly string[]): string =>
    [name.padEnd(names), ...cells.map((text, index) => text.padStart(widths[index] ?? 0))].join("  ");
  return [line(2, row("", titles), "quiet"), ...rows.map(({ name, cells }) => line(2, row(name, cells)))];
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
