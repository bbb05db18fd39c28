import { problem } from "../core/problem.ts";
import { type Diagnostic, error, topOf } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import { cellPosition, type CsvRecord, readCsv } from "./csv.ts";
import type { RowPlaces } from "./declaration.ts";
import type { Field, Fields } from "./fields.ts";
import { jsonPosition, jsonValue, readNdjson } from "./ndjson.ts";
import type { Report } from "./report.ts";
import { type RowReader, rowReader } from "./rows.ts";
import { emptySource } from "./text-stream.ts";

/** How many columns a remedy lists. */
const MOST_LISTED = 20;

/** The everyday names of CSV delimiters. */
const DELIMITERS: Readonly<Record<string, string>> = { ",": "a comma", ";": "a semicolon", "\t": "a tab" };

/**
 * Reads the rows of a CSV file after its header. Undefined if the header is wrong, or if reading stopped, which is
 * reported only to `stop`.
 */
export async function readCsvRows(
  chunks: AsyncIterable<string>,
  name: string,
  file: string,
  delimiter: string,
  fields: Fields,
  report: Report,
  stop: Report,
): Promise<RowReader | undefined> {
  let header: readonly string[] | undefined;
  let reader: RowReader | undefined;
  let columns = new Map<string, number>();

  const table: RowPlaces = {
    place: (raw, line, leaf) => {
      const field = [fields.hostname, ...fields.leaves, ...fields.labels].find((each) => each.leaf === leaf);
      const column = field && columns.get(field.column);
      return column === undefined ? undefined : cellPosition({ cells: [], raw, line }, column, file, delimiter);
    },
  };
  const onRecord = (record: CsvRecord): void => {
    if (!header) {
      header = record.cells.map((cell) => cell.trim());
      columns = new Map(header.map((column, index) => [column, index]));
      if (checkHeader(record, header, fields, { source: name, file, delimiter }, report))
        reader = rowReader(name, fields, table, report);
      return;
    }
    const { cells } = record;
    if (cells.length !== header.length) {
      report(wrongCellCount(record, header.length, file, delimiter));
      return;
    }
    reader?.read({
      raw: record.raw,
      line: record.line,
      value: (field) => cells[columns.get(field.column) ?? -1],
    });
  };
  const isRead = await readCsv(chunks, file, delimiter, onRecord, stop);
  if (!isRead) return undefined;
  return header ? reader : stop(emptySource(file));
}

function checkHeader(
  record: CsvRecord,
  header: readonly string[],
  fields: Fields,
  { source, file, delimiter }: { readonly source: string; readonly file: string; readonly delimiter: string },
  report: Report,
): boolean {
  const wanted = [fields.hostname, ...fields.leaves, ...fields.labels];
  const missing = wanted.filter(({ column }) => !header.includes(column));
  const instead = missing.length > 0 ? wrongDelimiter(header, wanted, source, file, delimiter) : undefined;
  const found = instead ?? (missing.length === wanted.length ? noHeader(header, wanted, file, delimiter) : undefined);
  if (found) {
    report(found);
    return false;
  }
  for (const field of missing) report(unknownColumn(field, header, file));
  const doubled = header.flatMap((column, index) => (header.indexOf(column) < index ? [index] : []));
  const wrong = doubled.filter((index) => wanted.some(({ column }) => column === header[index]));
  for (const index of wrong) {
    const at = cellPosition(record, index, file, delimiter);
    report(error(problem("duplicate-column", { name: JSON.stringify(header[index]) }, { at })));
  }
  return missing.length === 0 && wrong.length === 0;
}

/** Finds a header that is one cell with this delimiter and has the columns with another. */
function wrongDelimiter(
  header: readonly string[],
  wanted: readonly Field[],
  source: string,
  file: string,
  delimiter: string,
): Diagnostic | undefined {
  const [whole = "", ...others] = header;
  const isSplitBy = (other: string): boolean => {
    const columns = new Set(whole.split(other).map((cell) => cell.trim()));
    return columns.size > 1 && wanted.some(({ column }) => columns.has(column));
  };
  const other = others.length > 0 ? undefined : Object.keys(DELIMITERS).find(isSplitBy);
  if (other === undefined) return undefined;
  const found = DELIMITERS[other] ?? other;
  const values = { found, declared: DELIMITERS[delimiter] ?? delimiter, delimiter: JSON.stringify(other), source };
  return error(problem("wrong-delimiter", values, { at: topOf(file) }));
}

/** Finds a first line that is already a row, because it contains a hostname. */
function noHeader(
  header: readonly string[],
  wanted: readonly Field[],
  file: string,
  delimiter: string,
): Diagnostic | undefined {
  if (!header.some((cell) => /^(\*\.)?([a-z0-9-]+\.)+[a-z]{2,}$/i.test(cell))) return undefined;
  const remedy = `add a first line with the names of the columns, for example: ${wanted.map(({ column }) => column).join(delimiter)}`;
  const message = "the file has no header: its first line is a row";
  return error({ code: "unknown-column", message, remedy, at: topOf(file) });
}

/** Reads the rows of an NDJSON file. */
export async function readNdjsonRows(
  chunks: AsyncIterable<string>,
  name: string,
  file: string,
  fields: Fields,
  report: Report,
): Promise<RowReader> {
  const wanted = [fields.hostname, ...fields.leaves, ...fields.labels];
  const unseen = new Set(wanted);
  let keys: readonly string[] = [];
  const table: RowPlaces = {
    place: (raw, line, leaf) => {
      const field = wanted.find((each) => each.leaf === leaf);
      return field && jsonPosition(raw, file, line, field.column);
    },
  };
  const reader = rowReader(name, fields, table, report);
  await readNdjson(
    chunks,
    file,
    (value, raw, line) => {
      if (keys.length === 0) keys = Object.keys(value);
      for (const field of unseen) if (jsonValue(value, field.column) !== undefined) unseen.delete(field);
      reader.read({ raw, line, value: (field) => jsonValue(value, field.column) });
    },
    report,
  );
  if (reader.rows() > 0) for (const field of unseen) report(unknownColumn(field, keys, file));
  return reader;
}

function unknownColumn(field: Field, known: readonly string[], file: string): Diagnostic {
  return error({
    code: "unknown-column",
    message: `${file} has no column ${JSON.stringify(field.column)}`,
    remedy: didYouMean(field.column, known) || `use one of its columns: ${known.slice(0, MOST_LISTED).join(", ")}`,
    at: field.columnAt,
  });
}

function wrongCellCount(record: CsvRecord, wanted: number, file: string, delimiter: string): Diagnostic {
  const count = record.cells.length;
  const cells = `${count} ${count === 1 ? "cell" : "cells"}`;
  const remedy = otherDelimiter(record.raw, count, wanted, delimiter) ?? "";
  const at = cellPosition(record, Math.min(count - 1, wanted), file, delimiter);
  const values = { cells, wanted, delimiter: DELIMITERS[delimiter] ?? delimiter };
  return error(problem("wrong-cell-count", values, { remedy, at }));
}

/** The delimiter that splits a one-cell row into as many cells as the header has. */
function otherDelimiter(raw: string, count: number, wanted: number, delimiter: string): string | undefined {
  const other = Object.keys(DELIMITERS).find((each) => each !== delimiter && raw.split(each).length === wanted);
  if (count !== 1 || other === undefined) return undefined;
  return `separate its cells by ${DELIMITERS[delimiter] ?? delimiter}, as in the header, and not by ${DELIMITERS[other] ?? other}`;
}
