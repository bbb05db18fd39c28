import { escape } from "./terminal.ts";

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
