import { escape } from "../escape/terminal.ts";

/**
 * A table as CSV (RFC 4180, but with plain newlines): the heading, then the rows. No spreadsheet runs what a customer
 * wrote in a cell.
 */
export function formatCsv(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}

/** What a spreadsheet would take for the beginning of a formula, and run; some of them skip blanks before it. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/**
 * A value as a cell of CSV (RFC 4180): made visible (tab, CR and all that is not drawn included), with an apostrophe in
 * front where a spreadsheet would run it as a formula, and in quotes where it holds a comma, a quote, or the semicolon
 * that cells end at in other countries.
 */
export function csvCell(value: string): string {
  const visible = escape(value);
  const safe = FORMULA.test(visible) ? `'${visible}` : visible;
  return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
