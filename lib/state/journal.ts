import { DecodeError, optionalNumber, optionalObject, text } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { StateError } from "./error.ts";
import { decodeObject, encodeObject } from "./object.ts";
import type { JournalRecord, RecordKind, WriteAction } from "./record.ts";
import { note, type Traces } from "./replay.ts";

const FORMAT = "zoneform-journal";
const VERSION = 1;

/** What a journal belongs to: its first line. */
export interface Binding {
  readonly zone: string;
  readonly lineage: string;
  /** The serial of the snapshot that the journal continues; once the snapshot has a higher one, it holds the journal. */
  readonly baseSerial: number;
}

/** A line with the checksum that the next line is chained to, so that no record can be changed, moved or left out. */
export interface ChainedLine {
  readonly line: string;
  readonly crc: string;
}

/** The first line of a journal. */
export function encodeBinding(binding: Binding): ChainedLine {
  const { zone, lineage, baseSerial } = binding;
  return chain("", { format: FORMAT, version: VERSION, zone, lineage, base_serial: baseSerial });
}

/** The line of a record, chained to the line before it. */
export function encodeRecord(previousCrc: string, record: JournalRecord): ChainedLine {
  const { object, ...fields } = record;
  return chain(previousCrc, { ...fields, ...(object ? { object: encodeObject(object) } : {}) });
}

function chain(previousCrc: string, fields: JsonObject): ChainedLine {
  const body = JSON.stringify(fields).slice(1);
  const crc = checksum(previousCrc + body);
  return { line: `{"crc":"${crc}",${body}`, crc };
}

/** A journal, read to its end. */
export interface DecodedJournal {
  readonly binding: Binding;
  /** The chain's end: what the next record is chained to. */
  readonly crc: string;
  /** The number of the last record, 0 where there is none. */
  readonly seq: number;
  /** What it says about each object. */
  readonly traces: Traces;
}

/**
 * Reads the lines of a journal as they come; gives undefined where there is none. A last line that is not whole was cut
 * short by a crash before anybody relied on it, and is left out. Throws `StateError` for any other line that is not as
 * it was written, in its place.
 */
export async function decodeJournal(lines: AsyncIterable<string>, where: string): Promise<DecodedJournal | undefined> {
  const reader = journalReader(where);
  let torn: StateError | undefined;
  for await (const line of lines) {
    if (torn) throw torn;
    const value = parse(line);
    if (value) reader.take(line, value);
    else torn = reader.damage("it is not whole");
  }
  return reader.finish();
}

interface JournalReader {
  take(line: string, value: JsonObject): void;
  /** What is wrong with the line that comes next. */
  damage(what: string, options?: ErrorOptions): StateError;
  finish(): DecodedJournal | undefined;
}

function journalReader(where: string): JournalReader {
  const traces: Traces = new Map();
  let binding: Binding | undefined;
  let crc = "";
  let seq = 0;

  function take(line: string, value: JsonObject): void {
    const next = verifiedCrc(line, crc);
    if (next === undefined) throw damage("its checksum does not match");
    try {
      if (!binding) binding = decodeBinding(value);
      else takeRecord(decodeRecord(value));
    } catch (cause) {
      if (cause instanceof DecodeError) throw damage(cause.message, { cause });
      throw cause;
    }
    crc = next;
  }

  function takeRecord(record: JournalRecord): void {
    if (record.seq !== seq + 1) throw damage(`it is record ${record.seq}, where record ${seq + 1} should stand`);
    seq = record.seq;
    note(traces, record);
  }

  function damage(what: string, options?: ErrorOptions): StateError {
    const line = binding ? seq + 2 : 1;
    return new StateError(
      {
        code: "journal-damaged",
        message: `the journal is damaged at line ${line}: ${what}`,
        remedy:
          "keep a copy of the journal, then remove the damaged line and those after it; the next plan finds their objects by name",
        at: { file: where, line, column: 1 },
      },
      options,
    );
  }

  return { take, damage, finish: () => (binding ? { binding, crc, seq, traces } : undefined) };
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function verifiedCrc(line: string, previousCrc: string): string | undefined {
  const [, crc, body] = /^\{"crc":"([0-9a-f]{16})",(.+)$/s.exec(line) ?? [];
  return body !== undefined && crc === checksum(previousCrc + body) ? crc : undefined;
}

function decodeBinding(from: JsonObject): Binding {
  if (from["format"] !== FORMAT) throw new DecodeError("format", JSON.stringify(FORMAT), from["format"]);
  if (from["version"] !== VERSION) throw new DecodeError("version", `${VERSION}`, from["version"]);
  return { zone: text(from, "zone"), lineage: text(from, "lineage"), baseSerial: wholeNumber(from, "base_serial") };
}

function decodeRecord(from: JsonObject): JournalRecord {
  const object = optionalObject(from, "object");
  return {
    seq: wholeNumber(from, "seq"),
    run: text(from, "run"),
    kind: oneOf(KINDS, from, "kind"),
    address: text(from, "address"),
    action: oneOf(ACTIONS, from, "action"),
    at: text(from, "at"),
    ...(object ? { object: decodeObject(object) } : {}),
  };
}

const KINDS = ["intent", "done", "failed", "gone"] as const satisfies readonly RecordKind[];
const ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget"] as const satisfies readonly WriteAction[];

function oneOf<T extends string>(allowed: readonly T[], from: JsonObject, field: string): T {
  const value = from[field];
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new DecodeError(field, `one of ${allowed.join(", ")}`, value);
  return found;
}

function wholeNumber(from: JsonObject, field: string): number {
  const value = optionalNumber(from, field);
  if (value === undefined || !Number.isSafeInteger(value) || value < 0) {
    throw new DecodeError(field, "a whole number", from[field]);
  }
  return value;
}
