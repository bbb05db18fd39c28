import { styleText } from "node:util";
import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";

/** What a line is, for the colour; every meaning is also in the words. */
export type Style = "plain" | "heading" | "good" | "warn" | "bad" | "quiet";

/** One line of a text for people; its text need not be escaped yet. `indent` counts columns. */
export interface Line {
  readonly indent: number;
  readonly text: string;
  readonly style?: Style;
  /** A remark beside the text, at the right margin where there is one: where something comes from, what it is called. */
  readonly aside?: string;
  /** How far the rest of a broken line stands in; 2 unless told. */
  readonly hang?: number;
}

/** How a text is printed. */
export interface Printing {
  readonly colour: boolean;
  /** The width at which lines are broken; 80 unless told. */
  readonly columns?: number;
  /** Completes a command that is printed for somebody to paste; absent: it stays as it is. */
  readonly complete?: Complete;
}

/** Gives a command that begins with `zoneform` with all that it needs to work where the printing command worked. */
export type Complete = (command: string) => string;

const DEFAULT_COLUMNS = 80;

/** How far the rest of a broken line stands in. */
const HANG = 2;

const COLOURS = {
  heading: "bold",
  good: "green",
  warn: "yellow",
  bad: "red",
  quiet: "dim",
} as const satisfies Record<Exclude<Style, "plain">, string>;

/** Remarks stand no further to the right than this, however wide the terminal is: the eye has to find them. */
const WIDEST_MARGIN = 100;

/** Between a text and the remark beside it. */
const GAP = "  ";

/** A line. */
export function line(indent: number, text: string, style: Style = "plain", aside = ""): Line {
  return aside === "" ? { indent, text, style } : { indent, text, style, aside };
}

/** An empty line, as between sections. */
export const BLANK: Line = { indent: 0, text: "" };

/** Adds a list to another; `push(...items)` would overflow the stack at a hundred thousand. */
export function append<T>(target: T[], items: readonly T[]): void {
  for (const item of items) target.push(item);
}

/**
 * The text of lines: escaped here, at the one sink, so that no value gets past it; broken at spaces, with the rest
 * standing in; ended by a newline.
 */
export function printLines(lines: readonly Line[], printing: Printing): string {
  return lines.map((each) => `${printLine(each, printing)}\n`).join("");
}

function printLine({ indent, text, style = "plain", aside = "", hang = HANG }: Line, printing: Printing): string {
  const { colour, columns = DEFAULT_COLUMNS, complete = (command) => command } = printing;
  const whole = text.replace(TO_PASTE, (command) => complete(command));
  const remark = escape(aside);
  const room = columns - indent - (remark === "" ? 0 : remark.length + GAP.length);
  const pieces = wrap(glued(escape(whole)), room, hang).map((piece) => neverCommand(unglued(piece)));
  const margins = [" ".repeat(indent), " ".repeat(indent + hang)];
  return pieces
    .map((piece, index) => {
      const beside = index === 0 ? besideOf(indent + piece.length, remark, columns) : "";
      return `${margins[Math.min(index, 1)]}${paint(piece, style, colour)}${paint(beside, "quiet", colour)}`;
    })
    .join("\n");
}

/** The remark beside a text of that length: at the right margin, or right behind it where lines have no end. */
function besideOf(length: number, remark: string, columns: number): string {
  if (remark === "") return "";
  const margin = columns > LONGEST_LINE ? 0 : Math.min(columns, WIDEST_MARGIN);
  return `${" ".repeat(Math.max(GAP.length, margin - length - remark.length))}${remark}`;
}

/** No terminal is wider: lines that may be longer are not broken at all. */
const LONGEST_LINE = 10_000;

/** A space that no line is broken at. None of these is in a text by itself: the escaper makes them visible. */
const GLUE = "\u00a0";

/** A command at the end of a text, or that is all of it: people copy it whole. */
const COMMAND = /(?:(?<=: )|^)(?:[A-Z_]+=\S+ )*zoneform [a-z].*$/;

/** The same where nothing that is no part of the command follows, so that flags can be added at its end. */
const TO_PASTE = /(?<=: )(?:[A-Z_]+=\S+ )*zoneform [a-z][^;]*$/;

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

function wrap(text: string, width: number, hang: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  let room = width;
  while (rest.length > room) {
    const at = breakBefore(rest, room);
    if (at === undefined) break;
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
    room = width - hang;
  }
  return [...pieces, rest];
}

/**
 * Where a text is broken: at the last space that fits, but beside an arrow only where the line would be half empty
 * otherwise; and where nothing fits, at the first space there is, so that a long name stays whole.
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
