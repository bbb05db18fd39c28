import { DecodeError, optionalNumber, optionalObject, optionalText, text } from "../core/decode.ts";
import { runningDigest } from "../core/digest.ts";
import type { JsonObject } from "../core/json.ts";
import { StateError } from "./error.ts";
import { decodePreImage, encodePreImage, oneOf, optionalTexts, wholeNumber } from "./journal-record.ts";
import { parse } from "./journal.ts";
import { decodeObject, encodeObject } from "./object.ts";
import { decodeApproved } from "./run-approval.ts";
import type { RunChange, RunHeader } from "./run-record.ts";

const FORMAT = "zoneform-run";
const VERSION = 1;
const ACTIONS = ["create", "update", "replace", "delete"] as const;

/** A run's record as lines: header, one change per line, footer with the count and the SHA-256 of every byte before it. */
export async function* encodeRun(header: RunHeader, changes: AsyncIterable<RunChange>): AsyncIterable<string> {
  const hash = runningDigest();
  let count = 0;
  const { planHash, ...fields } = header;
  const first = JSON.stringify({ format: FORMAT, version: VERSION, ...fields, plan_hash: planHash });
  hash.add(`${first}\n`);
  yield first;
  for await (const change of changes) {
    const line = JSON.stringify(encodeChange(change));
    hash.add(`${line}\n`);
    count += 1;
    yield line;
  }
  yield JSON.stringify({ count, sha256: hash.hex() });
}

function encodeChange({ address, action, at, before, prior, after, isOpen }: RunChange): JsonObject {
  return {
    address,
    action,
    at,
    ...(before ? { before: encodePreImage(before) } : {}),
    ...(prior ? { prior: encodeObject(prior) } : {}),
    ...(after ? { after: encodeObject(after) } : {}),
    ...(isOpen ? { open: true } : {}),
  };
}

/** A run's record, read to its end and found whole. */
export interface RunRecord {
  readonly header: RunHeader;
  readonly changes: readonly RunChange[];
}

/** Reads what `encodeRun` gave. Throws `StateError` for everything else: going back by half of a record is no way back. */
export async function decodeRun(lines: AsyncIterable<string>, where: string): Promise<RunRecord> {
  const hash = runningDigest();
  const changes: RunChange[] = [];
  let header: RunHeader | undefined;
  let footer: JsonObject | undefined;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = parse(line);
    if (!value || footer) throw damaged(where, number, footer ? "something follows its footer" : "it is not JSON");
    if (!header) header = decoded(where, number, () => decodeHeader(value));
    else if (Object.hasOwn(value, "address")) changes.push(decoded(where, number, () => decodeChange(value)));
    else footer = value;
    if (!footer) hash.add(`${line}\n`);
  }
  if (!header || !footer) throw damaged(where, number, "it ends before its footer");
  const isWhole = optionalNumber(footer, "count") === changes.length && footer["sha256"] === hash.hex();
  if (!isWhole) throw damaged(where, number, "its content does not match the checksum of its footer");
  return { header, changes };
}

/** Reads the first line alone, for lists of runs. Throws `StateError`. */
export async function decodeRunHeader(lines: AsyncIterable<string>, where: string): Promise<RunHeader> {
  for await (const line of lines) {
    const value = parse(line);
    if (value) return decoded(where, 1, () => decodeHeader(value));
    break;
  }
  throw damaged(where, 1, "it has no header");
}

function decodeHeader(from: JsonObject): RunHeader {
  if (from["format"] !== FORMAT) throw new DecodeError("format", JSON.stringify(FORMAT), from["format"]);
  if (from["version"] !== VERSION) throw new DecodeError("version", `${VERSION}`, from["version"]);
  const [operation, planHash] = [optionalText(from, "operation"), optionalText(from, "plan_hash")];
  const zones = optionalTexts(from, "zones");
  return {
    run: text(from, "run"),
    zone: text(from, "zone"),
    lineage: text(from, "lineage"),
    serial: wholeNumber(from, "serial"),
    began: text(from, "began"),
    ended: text(from, "ended"),
    changes: wholeNumber(from, "changes"),
    ...(operation === undefined ? {} : { operation }),
    ...(planHash === undefined ? {} : { planHash }),
    ...decodeApproved(from),
    ...(zones === undefined ? {} : { zones }),
  };
}

function decodeChange(from: JsonObject): RunChange {
  const [prior, after] = [optionalObject(from, "prior"), optionalObject(from, "after")];
  return {
    address: text(from, "address"),
    action: oneOf(ACTIONS, from, "action"),
    at: text(from, "at"),
    ...decodePreImage(from),
    ...(prior ? { prior: decodeObject(prior) } : {}),
    ...(after ? { after: decodeObject(after) } : {}),
    ...(from["open"] === true ? { isOpen: true } : {}),
  };
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
      remedy: "it cannot be undone by this record; change the YAML to what is wanted, then plan",
      at: { file: where, line: Math.max(line, 1), column: 1 },
    },
    options,
  );
}
