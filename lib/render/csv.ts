import { escape } from "./escape.ts";

/** What a spreadsheet would take for the beginning of a formula, and run. */
const FORMULA = /^[=+\-@]/;

/**
 * A table as CSV (RFC 4180, but with plain newlines): the heading, then the rows. A cell that begins with `=`, `+`, `-`
 * or `@` gets an apostrophe in front, so that no spreadsheet runs what a customer wrote.
 */
export function formatCsv(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
}

function cell(value: string): string {
  const visible = escape(value);
  const safe = FORMULA.test(visible) ? `'${visible}` : visible;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
