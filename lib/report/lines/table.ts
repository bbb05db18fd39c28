import stringWidth from "string-width";
import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";

/** No lines round the cells: two spaces set the columns apart, so that `awk` and people both can read them. */
const GAP = "  ";

/** How the cells of a column stand; numbers are read from the right. */
export type Alignment = "left" | "right";

/** A table for the terminal: the heading, then one line for each row, ended by a newline. Every cell is escaped. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[] = [],
): string {
  const table = [heading, ...rows].map((row) => row.map(escape));
  const columns = heading.map((_title, index) =>
    table.reduce((widest, row) => Math.max(widest, stringWidth(row[index] ?? "")), 0),
  );
  const line = (row: readonly string[]): string =>
    columns.map((width, index) => padded(row[index] ?? "", width, alignments[index])).join(GAP);
  return table.map((row) => `${neverCommand(line(row).trimEnd())}\n`).join("");
}

function padded(cell: string, width: number, alignment: Alignment = "left"): string {
  const space = " ".repeat(width - stringWidth(cell));
  return alignment === "left" ? cell + space : space + cell;
}
