import { escape } from "../escape/terminal.ts";

/**
 * A table as CSV (RFC 4180, but with plain newlines): the heading, then the rows. A spreadsheet never runs a customer's
 * text as a formula.
 */
export function formatCsv(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}

/** Text that a spreadsheet would run as a formula; some spreadsheets skip blanks before it. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/**
 * A value as a cell of CSV (RFC 4180). Invisible characters are made visible, including tab and CR. An apostrophe comes
 * before text that a spreadsheet would run as a formula. Text with a comma, a quote, or a semicolon, which ends cells
 * in some countries, is quoted.
 */
export function csvCell(value: string): string {
  const visible = escape(value);
  const safe = FORMULA.test(visible) ? `'${visible}` : visible;
  return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
