import stringWidth from "string-width";
import { neverCommand, escape } from "../escape/terminal.ts";

/** The gap between columns. Without lines around the cells, both `awk` and people can read them. */
const GAP = "  ";

/** The alignment of a column; numbers are aligned right. */
export type Alignment = "left" | "right";

/** The width of the terminal; absent: the table may be of any width. */
export interface TableWidth {
  readonly columns?: number;
}

/** The layout of a table. */
export interface TableLayout extends TableWidth {
  /** The alignment of each column; left by default. */
  readonly alignments?: readonly Alignment[];
  /** The headings of columns that may be shortened, then dropped, on a narrow terminal; the least important first. */
  readonly gives?: readonly string[];
}

/** The shortest width of a shortened cell; if that does not fit, its column is dropped. */
const SHORTEST_CELL = 8;

/** A table for the terminal: the heading, then one line for each row, ended by a newline. Every cell is escaped. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { alignments = [], columns, gives = [] }: TableLayout = {},
): string {
  const table = [heading, ...rows].map((row) => row.map(escape));
  const natural = heading.map((_title, index) =>
    table.reduce((widest, row) => Math.max(widest, stringWidth(row[index] ?? "")), 0),
  );
  const widths = columns === undefined ? natural : fitted(heading, natural, columns, gives);
  const kept = [...widths.keys()].filter((index) => widths[index] !== 0);
  const line = (row: readonly string[]): string =>
    kept
      .map((index) => padded(shortened(row[index] ?? "", widths[index] ?? 0), widths[index] ?? 0, alignments[index]))
      .join(GAP);
  return table.map((row) => `${neverCommand(line(row).trimEnd())}\n`).join("");
}

/**
 * The widths of the columns within a total width, 0 for a dropped one. Columns that may not be shortened keep their
 * width.
 */
function fitted(
  heading: readonly string[],
  natural: readonly number[],
  columns: number,
  gives: readonly string[],
): readonly number[] {
  const widths = [...natural];
  const excess = (): number => {
    const shown = widths.filter((width) => width > 0);
    return shown.reduce((sum, width) => sum + width, 0) + GAP.length * (shown.length - 1) - columns;
  };
  const indices = gives.map((title) => heading.indexOf(title)).filter((index) => index >= 0);
  for (const index of indices) {
    const width = widths[index] ?? 0;
    const least = Math.min(width, Math.max(SHORTEST_CELL, stringWidth(heading[index] ?? "")));
    widths[index] = Math.max(least, width - Math.max(0, excess()));
  }
  for (const index of indices) if (excess() > 0) widths[index] = 0;
  return widths;
}

function shortened(cell: string, width: number): string {
  if (stringWidth(cell) <= width) return cell;
  let cut = cell;
  while (cut !== "" && stringWidth(cut) >= width) cut = cut.slice(0, -1);
  return `${cut}…`;
}

function padded(cell: string, width: number, alignment: Alignment = "left"): string {
  const space = " ".repeat(width - stringWidth(cell));
  return alignment === "left" ? cell + space : space + cell;
}
