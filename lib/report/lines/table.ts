import Table from "cli-table3";
import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";

/** No lines round the cells: two spaces set the columns apart, so that `awk` and people both can read them. */
const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
} as const;

/** How the cells of a column stand; numbers are read from the right. */
export type Alignment = "left" | "right";

/** A table for the terminal: the heading, then one line for each row, ended by a newline. Every cell is escaped. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[] = [],
): string {
  const table = new Table({
    chars: NO_BORDERS,
    colAligns: heading.map((_title, index) => alignments[index] ?? "left"),
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
  });
  for (const row of [heading, ...rows]) table.push(row.map(escape));
  const lines = table.toString().split("\n");
  return lines.map((line) => `${neverCommand(line.trimEnd())}\n`).join("");
}
