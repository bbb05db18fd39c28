import { type Codec, flag, named, oneOf, optionalRecord, record } from "../core/codec.ts";
import { DecodeError, optionalNumber, optionalText, text, wholeNumber } from "../core/decode.ts";
import { runningDigest } from "../core/digest.ts";
import type { JsonObject } from "../core/json.ts";
import { refuseNewer, StateError } from "./error.ts";
import { optionalTexts, PRE_IMAGE } from "./journal-record.ts";
import { parse } from "./journal.ts";
import { OBJECT } from "./object.ts";
import { APPROVED } from "./run-approval.ts";
import type { RunChange, RunHeader } from "./run-record.ts";

const FORMAT = "zoneform-run";
const VERSION = 1;

const HEADER: Codec<RunHeader> = record<RunHeader>(
  {
    run: text,
    zone: text,
    lineage: text,
    serial: wholeNumber,
    began: text,
    ended: text,
    changes: wholeNumber,
    operation: optionalText,
    approved: APPROVED,
    zones: optionalTexts,
    planHash: named("plan_hash", optionalText),
  },
  { format: FORMAT, version: VERSION },
);

const CHANGE: Codec<RunChange> = record<RunChange>({
  address: text,
  action: oneOf(["create", "update", "replace", "delete"]),
  at: text,
  before: optionalRecord(PRE_IMAGE),
  prior: optionalRecord(OBJECT),
  after: optionalRecord(OBJECT),
  isOpen: named("open", flag),
  isAhead: named("ahead", flag),
});

/**
 * Encodes a run's record as lines: a header, one change per line, and a footer with the count and the SHA-256 of every
 * byte before it.
 */
export async function* encodeRun(header: RunHeader, changes: AsyncIterable<RunChange>): AsyncIterable<string> {
  const hash = runningDigest();
  let count = 0;
  const first = JSON.stringify(HEADER.encode(header));
  hash.add(`${first}\n`);
  yield first;
  for await (const change of changes) {
    const line = JSON.stringify(CHANGE.encode(change));
    hash.add(`${line}\n`);
    count += 1;
    yield line;
  }
  yield JSON.stringify({ count, sha256: hash.hex() });
}

/** A run's record, read to its end and undamaged. */
export interface RunRecord {
  readonly header: RunHeader;
  readonly changes: readonly RunChange[];
}

/** Reads what `encodeRun` wrote. Throws `StateError` for everything else: half a record cannot undo a run. */
export async function decodeRun(lines: AsyncIterable<string>, where: string): Promise<RunRecord> {
  const hash = runningDigest();
  const changes: RunChange[] = [];
  let header: RunHeader | undefined;
  let footer: JsonObject | undefined;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = parse(line);
    if (!value || footer) throw damaged(where, number, footer ? "there are lines after its footer" : "it is not JSON");
    if (!header) header = decoded(where, number, () => headerIn(value, where));
    else if (Object.hasOwn(value, "address")) changes.push(decoded(where, number, () => CHANGE.decode(value)));
    else footer = value;
    if (!footer) hash.add(`${line}\n`);
  }
  if (!header || !footer) throw damaged(where, number, "it ends before its footer");
  const isWhole = optionalNumber(footer, "count") === changes.length && footer["sha256"] === hash.hex();
  if (!isWhole) throw damaged(where, number, "its content does not match the checksum of its footer");
  return { header, changes };
}

/** Reads only the first line, for lists of runs. Throws `StateError`. */
export async function decodeRunHeader(lines: AsyncIterable<string>, where: string): Promise<RunHeader> {
  for await (const line of lines) {
    const value = parse(line);
    if (value) return decoded(where, 1, () => headerIn(value, where));
    break;
  }
  throw damaged(where, 1, "it has no header");
}

function headerIn(value: JsonObject, where: string): RunHeader {
  refuseNewer(value, VERSION, "the record of the run", where);
  return HEADER.decode(value);
}

function decoded<T>(where: string, line: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause;
    throw damaged(where, line, cause.message, { cause });
  }
}

function damaged(where: string, line: number, what: string, options?: ErrorOptions): StateError {
  return new StateError(
    {
      code: "run-damaged",
      message: `the record of the run is damaged at line ${line}: ${what}`,
      remedy: "the run cannot be undone; change the YAML instead, then plan",
      at: { file: where, line: Math.max(line, 1), column: 1 },
    },
    options,
  );
}
