import { problem } from "../core/problem.ts";
import { type Codec, named, record } from "../core/codec.ts";
import { DecodeError, optionalText, text, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { refuseNewer, StateError } from "./error.ts";
import { APPROVED, type JournalRecord, optionalTexts, RECORD, type RunApproval } from "./record.ts";
import { note, type Traces } from "./replay.ts";
import type { ZoneView } from "./zone/view.ts";

const FORMAT = "zoneform-journal";
const VERSION = 1;

/** The state that a journal belongs to; it is the journal's first line. */
export interface Binding {
  readonly zone: string;
  readonly lineage: string;
  /** The serial of the snapshot that the journal continues. A snapshot with a higher serial already contains the journal. */
  readonly baseSerial: number;
  /** What the run that started the journal does, and from which plan; for the run's record. */
  readonly operation?: string | undefined;
  readonly planHash?: string | undefined;
  readonly approved?: RunApproval | undefined;
  /** The ids of all zones that the run writes to, if there are several. */
  readonly zones?: readonly string[] | undefined;
}

/**
 * A line with the checksum that the next line is chained to, so that no record can be changed, moved or removed
 * unnoticed.
 */
export interface ChainedLine {
  readonly line: string;
  readonly crc: string;
}

const BINDING: Codec<Binding> = record<Binding>(
  {
    zone: text,
    lineage: text,
    baseSerial: named("base_serial", wholeNumber),
    operation: optionalText,
    planHash: named("plan_hash", optionalText),
    approved: APPROVED,
    zones: optionalTexts,
  },
  { format: FORMAT, version: VERSION },
);

/** The first line of a journal. */
export function encodeBinding(binding: Binding): ChainedLine {
  return chain("", BINDING.encode(binding));
}

/** The line of a record, chained to the previous line. */
export function encodeRecord(previousCrc: string, record: JournalRecord): ChainedLine {
  return chain(previousCrc, RECORD.encode(record));
}

function chain(previousCrc: string, fields: JsonObject): ChainedLine {
  const body = JSON.stringify(fields).slice(1);
  const crc = checksum(previousCrc + body);
  return { line: `{"crc":"${crc}",${body}`, crc };
}

/** A journal, read to its end. */
export interface DecodedJournal {
  readonly binding: Binding;
  /** The end of the chain: the next record is chained to it. */
  readonly crc: string;
  /** The number of the last record, 0 if there is none. */
  readonly seq: number;
  /** What the journal says about each object. */
  readonly traces: Traces;
}

/**
 * Reads the lines of a journal as a stream and passes each record to `visit`; returns undefined if there is no journal.
 * Throws `StateError` for any line that is not as it was written, even the last one. The store leaves out a line that a
 * crash cut off, because it has no line end. So every line here was once complete, and a run may have relied on it.
 */
export async function decodeJournal(
  lines: AsyncIterable<string>,
  where: string,
  visit?: (record: JournalRecord) => void,
): Promise<DecodedJournal | undefined> {
  const traces: Traces = new Map();
  const reader = journalReader(where);
  for await (const record of reader.records(lines)) {
    note(traces, record);
    visit?.(record);
  }
  const end = reader.end();
  return end && { ...end, traces };
}

/** The same for the journal of a zone. It is not read if it is known to be empty. */
export async function readJournal(
  view: ZoneView,
  visit?: (record: JournalRecord) => void,
): Promise<DecodedJournal | undefined> {
  return view.isJournalEmpty ? undefined : decodeJournal(view.journal(), view.describe("journal"), visit);
}

/** The records of a journal as a stream, for callers that need not keep them all. Throws as `decodeJournal` does. */
export function journalRecords(lines: AsyncIterable<string>, where: string): AsyncIterable<JournalRecord> {
  return journalReader(where).records(lines);
}

interface JournalReader {
  records(lines: AsyncIterable<string>): AsyncIterable<JournalRecord>;
  /** The result after the last line; undefined if the journal had no lines. */
  end(): Omit<DecodedJournal, "traces"> | undefined;
}

function journalReader(where: string): JournalReader {
  let binding: Binding | undefined;
  let crc = "";
  let seq = 0;

  async function* records(lines: AsyncIterable<string>): AsyncIterable<JournalRecord> {
    for await (const line of lines) {
      const value = parse(line);
      if (!value) throw damage("it is incomplete");
      const record = take(line, value);
      if (record) yield record;
    }
  }

  function take(line: string, value: JsonObject): JournalRecord | undefined {
    const next = verifiedCrc(line, crc);
    if (next === undefined) throw damage("its checksum does not match");
    crc = next;
    try {
      return takeVerified(value);
    } catch (cause) {
      if (cause instanceof DecodeError) throw damage(cause.message, { cause });
      throw cause;
    }
  }

  function takeVerified(value: JsonObject): JournalRecord | undefined {
    if (!binding) {
      refuseNewer(value, VERSION, "the journal", where);
      binding = decodeBinding(value);
      return undefined;
    }
    const record = RECORD.decode(value);
    if (record.seq !== seq + 1) throw damage(`it is record ${record.seq}, expected record ${seq + 1}`);
    seq = record.seq;
    return record;
  }

  /** Makes the error about the next line. */
  function damage(what: string, options?: ErrorOptions): StateError {
    return damaged(where, binding ? seq + 2 : 1, what, options);
  }

  return { records, end: () => (binding ? { binding, crc, seq } : undefined) };
}

function damaged(where: string, line: number, what: string, options?: ErrorOptions): StateError {
  const message = `the journal is damaged at line ${line}: ${what}`;
  return new StateError(problem("journal-damaged", { message }, { at: { file: where, line, column: 1 } }), options);
}

/** A line as JSON; undefined if it is not complete. */
export function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The checksum of a line that continues the chain; undefined if it does not. */
export function verifiedCrc(line: string, previousCrc: string): string | undefined {
  const [, crc, body] = /^\{"crc":"([0-9a-f]{16})",(.+)$/s.exec(line) ?? [];
  return body !== undefined && crc === checksum(previousCrc + body) ? crc : undefined;
}

/** Reads the first line of a journal. Throws `DecodeError`. */
export function decodeBinding(from: JsonObject): Binding {
  return BINDING.decode(from);
}
