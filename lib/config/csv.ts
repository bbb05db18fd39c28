import { type Diagnostic, error, type Position, problem } from "../core/diagnostic.ts";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import type { Report } from "./report.ts";

/** A record of a CSV file: its cells, its text, and the line where it begins. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly raw: string;
  readonly line: number;
}

/** Records of hostnames are shorter. Without this limit, an unclosed quote would swallow the rest of the file. */
const LONGEST_RECORD = 64 * 1024;

/**
 * Reads CSV (RFC 4180) record by record, without blank lines. Returns whether it reached the end: after a broken quote,
 * which it reports, it cannot tell where the next record begins.
 */
export async function readCsv(
  chunks: AsyncIterable<string>,
  file: string,
  delimiter: string,
  onRecord: (record: CsvRecord) => void,
  report: Report,
): Promise<boolean> {
  let nextLine = 1;
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    raw: true,
    max_record_size: LONGEST_RECORD,
    on_record: (record: unknown, context) => {
      const { cells, raw } = partsOf(record);
      const line = nextLine;
      nextLine = context.lines + 1;
      if (cells.length > 1 || cells[0] !== "") onRecord({ cells, raw, line: line + leadingBreaks(raw) });
      return null;
    },
  });
  // The callback receives each record directly, which is several times faster than an object stream.
  parser.resume();
  try {
    await pipeline(Readable.from(chunks, { objectMode: false }), parser);
    return true;
  } catch (failure) {
    if (!(failure instanceof CsvError)) throw failure;
    report(csvProblem(failure, file, delimiter, nextLine));
    return false;
  }
}

function partsOf(record: unknown): { cells: readonly string[]; raw: string } {
  if (typeof record !== "object" || record === null || !("record" in record) || !("raw" in record)) {
    throw new Error("csv-parse gives each record with its raw text when asked to");
  }
  const { record: cells, raw } = record;
  return { cells: Array.isArray(cells) ? cells.map(String) : [], raw: String(raw) };
}

function leadingBreaks(raw: string): number {
  const breaks = /^[\r\n]*/.exec(raw)?.[0] ?? "";
  return breaks.split("\n").length - 1;
}

/** The position of a cell, of its quote if it has one. Only computed when an error needs it. */
export function cellPosition(record: CsvRecord, index: number, file: string, delimiter: string): Position {
  const { raw } = record;
  let cell = 0;
  let line = record.line;
  let lineStart = 0;
  let isQuoted = false;
  let place = 0;
  for (; place < raw.length && cell < index; place += 1) {
    const character = raw[place];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "\n") {
      line += 1;
      lineStart = place + 1;
    } else if (character === delimiter && !isQuoted) cell += 1;
  }
  return { file, line, column: place - lineStart + 1 };
}

function csvProblem(failure: CsvError, file: string, delimiter: string, firstLine: number): Diagnostic {
  const raw = rawOf(failure);
  const start = { file, line: firstLine, column: 1 };
  const code: string = failure.code;
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return error(
        problem(
          "csv-open-quote",
          {},
          { at: cellPosition({ cells: [], raw, line: firstLine }, indexOf(failure), file, delimiter) },
        ),
      );
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
      return error(problem("csv-quote", {}, { at: endOf(raw, firstLine, file) }));
    case "CSV_MAX_RECORD_SIZE":
      return error(problem("csv-record-too-long", { most: LONGEST_RECORD }, { at: start }));
    default: {
      const reason = failure.message.charAt(0).toLowerCase() + failure.message.slice(1);
      return error(problem("csv-syntax", { reason }, { at: start }));
    }
  }
}

function rawOf(failure: CsvError): string {
  return typeof failure["raw"] === "string" ? failure["raw"] : "";
}

function indexOf(failure: CsvError): number {
  return typeof failure["index"] === "number" ? failure["index"] : 0;
}

/** The position of the last character of a text that begins on the given line. */
function endOf(text: string, firstLine: number, file: string): Position {
  const lines = text.split("\n");
  return { file, line: firstLine + lines.length - 1, column: Math.max(1, lines.at(-1)?.length ?? 1) };
}
