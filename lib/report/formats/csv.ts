import { csvCell } from "../escape/csv.ts";

/**
 * A table as CSV (RFC 4180, but with plain newlines): the heading, then the rows. No spreadsheet runs what a customer
 * wrote in a cell.
 */
export function formatCsv(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}
