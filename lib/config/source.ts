import { type Diagnostic, error, type Position, problem, topOf } from "../core/diagnostic.ts";
import { errorCode } from "../core/file-system.ts";
import type { Declaration, RowPlaces } from "./declaration.ts";
import type { SourceCount } from "./desired.ts";
import { decodeFields, type Field, type Fields } from "./fields.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath } from "./files.ts";
import type { SourceSection } from "./document-types.ts";
import { keyPlaceOf, placeOf } from "./document.ts";
import { type RowReader, rowReader } from "./rows.ts";
import { emptySource, type TextStream, textStream } from "./text-stream.ts";
import { keptReport, limitedReport, type Report } from "./report.ts";
import { didYouMean } from "../core/suggest.ts";
import { cellPosition, type CsvRecord, readCsv } from "./csv.ts";
import { jsonPosition, jsonValue, readNdjson } from "./ndjson.ts";

/** The default share of a source's rows that may be missing: enough for a normal week, too little for a truncated file. */
const DEFAULT_MAX_SHRINK = 0.1;

/** How many of a file's last rows a state remembers, to recognize a truncated file. */
export const END_ROWS = 10;

/** A source that was read. */
export interface LoadedSource extends Pick<SourceCount, "first" | "end" | "has" | "maxShrink" | "at"> {
  readonly name: string;
  readonly declarations: readonly Declaration[];
  readonly labels: readonly string[];
  /** Whether every row was valid. */
  readonly isWhole: boolean;
}

/** Reads one source: its file, every row, and whether it counts as complete. */
export async function readSource(
  project: ProjectFolder,
  name: string,
  sections: Readonly<Record<string, SourceSection>>,
  section: SourceSection,
  override: string | undefined,
  report: Report,
): Promise<LoadedSource> {
  const at = keyPlaceOf(sections, name);
  const { complete } = section;
  const all = keptReport(report);
  const limited = limitedReport(all.report);
  const fields = decodeFields(section, limited.report);
  const file = await fileOf(project, name, section, at, override, limited.report);
  const reader = fields && file ? await readRows(project.disk, name, section, file, fields, limited.report) : undefined;
  limited.finish(file?.name);

  const least = complete?.min_rows;
  const rows = reader?.rows() ?? 0;
  if (all.said.length === 0 && complete && least !== undefined && rows < least)
    all.report(tooFewRows(name, rows, least, placeOf(complete, "min_rows")));
  return {
    name,
    at,
    ...rowsOf(reader?.declarations ?? []),
    labels: fields?.labels.flatMap(({ path }) => path) ?? [],
    maxShrink: shareOf(complete?.max_shrink) ?? DEFAULT_MAX_SHRINK,
    isWhole: all.said.length === 0,
  };
}

function rowsOf(declarations: readonly Declaration[]): Pick<LoadedSource, "declarations" | "first" | "end" | "has"> {
  const hostnameOf = ({ facts }: Declaration): string => facts.hostname;
  let hostnames: ReadonlySet<string> | undefined;
  return {
    declarations,
    first: declarations.slice(0, 1).map(hostnameOf).join(""),
    end: declarations.slice(-END_ROWS).map(hostnameOf),
    has: (hostname) => (hostnames ??= new Set(declarations.map(hostnameOf))).has(hostname),
  };
}

/** A source whose declaration is wrong: it exists, but its rows are unknown. */
export function lostSource(name: string, at: Position): LoadedSource {
  return { name, at, ...rowsOf([]), labels: [], maxShrink: DEFAULT_MAX_SHRINK, isWhole: false };
}

/** `2%` as 0.02. */
export function shareOf(percent: string | undefined): number | undefined {
  return percent === undefined ? undefined : Number(percent.replace("%", "")) / 100;
}

async function fileOf(
  project: ProjectFolder,
  name: string,
  section: SourceSection,
  at: Position,
  override: string | undefined,
  report: Report,
): Promise<(ProjectPath & { isNdjson: boolean }) | undefined> {
  const { csv, ndjson } = section;
  const written = csv ?? ndjson;
  const isNdjson = ndjson !== undefined;
  if (written === undefined || (csv !== undefined && isNdjson)) {
    const has = csv === undefined ? "neither csv nor ndjson" : "both csv and ndjson";
    return report(error(problem("source-without-file", { name: JSON.stringify(name), has }, { at })));
  }
  // A file of the command line may be anywhere: the user who types it decides.
  if (override !== undefined) {
    const stat = await project.disk.stat(override).catch(() => undefined);
    if (stat?.kind === "file") return { path: override, name: override, isNdjson };
    const message = `--source ${name}=${override}: there is no such file`;
    return report(error({ code: "file-not-found", message, remedy: "check the path" }));
  }
  const found = await locate(project, "", written, placeOf(section, isNdjson ? "ndjson" : "csv"), report);
  return found && { ...found, isNdjson };
}

async function readRows(
  disk: Disk,
  name: string,
  { delimiter = "," }: SourceSection,
  file: ProjectPath & { readonly isNdjson: boolean },
  fields: Fields,
  report: Report,
): Promise<RowReader | undefined> {
  const text = textStream(disk.stream(file.path), file.name, report);
  const stop = unlessUnsound(text, report);
  const reading = file.isNdjson
    ? readNdjsonRows(text.chunks, name, file.name, fields, report)
    : readCsvRows(text.chunks, name, file.name, delimiter, fields, report, stop);
  const reader = await reading.catch((failure: unknown) => stop(unreadable(file, failure)));
  if (reader?.rows() === 0) stop(emptySource(file.name));
  return text.isSound() ? reader : undefined;
}

/** Drops the reader's errors if the text itself is broken, because that caused them. */
function unlessUnsound(text: TextStream, report: Report): Report {
  return (problem) => (text.isSound() ? report(problem) : undefined);
}

/** Reports an error of the disk; any other error is a bug and is rethrown. */
function unreadable(file: ProjectPath, failure: unknown): Diagnostic {
  const code = errorCode(failure);
  if (code === undefined) throw failure;
  return error(problem("file-unreadable", { cause: code }, { at: topOf(file.name) }));
}

function tooFewRows(name: string, rows: number, least: number, at: Position): Diagnostic {
  return error(problem("source-incomplete", { name: JSON.stringify(name), rows, least }, { at }));
}

/** How many columns a remedy lists. */
const MOST_LISTED = 20;

/** The everyday names of CSV delimiters. */
const DELIMITERS: Readonly<Record<string, string>> = { ",": "a comma", ";": "a semicolon", "\t": "a tab" };

/**
 * Reads the rows of a CSV file after its header. Undefined if the header is wrong, or if reading stopped, which is
 * reported only to `stop`.
 */
async function readCsvRows(
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
    delimiter,
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
async function readNdjsonRows(
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
