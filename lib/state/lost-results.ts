import { isHexId, type ZoneId, zoneId } from "../core/brand.ts";
import { type Codec, named, record } from "../core/codec.ts";
import { DecodeError, optionalNumber, optionalObject, optionalText, text, wholeNumber } from "../core/decode.ts";
import { runningDigest } from "../core/digest.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import { collected } from "../core/streams.ts";
import { StateError } from "./error.ts";
import { parse } from "./journal.ts";
import { RECORD } from "./journal-record.ts";
import type { JournalRecord } from "./record.ts";

const FORMAT = "zoneform-lost-results";
const VERSION = 1;

/**
 * The results of requests that a run could not store, because it lost its lock or the server of the states. Their
 * intents are stored, so the next run finds out what happened without them.
 */
export interface LostResults {
  readonly project: string;
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly lineage: string;
  /** The serial of the snapshot that the run's journal continues. */
  readonly baseSerial: number;
  readonly run: string;
  /** In the order in which the run recorded them. */
  readonly records: readonly JournalRecord[];
}

/** Where such results are kept: on this machine, beside the project file. */
export interface LostPlace {
  /**
   * Writes a file, completely and durably, that only this user can read, and returns its path. Throws `StateError` if it
   * cannot.
   */
  keep(name: string, lines: AsyncIterable<string>): Promise<string>;
}

type Head = Omit<LostResults, "records">;

const HEAD: Codec<Head> = record<Head>(
  { project: text, zone: zoneOf, lineage: text, baseSerial: named("base_serial", wholeNumber), run: text },
  { format: FORMAT, version: VERSION },
);

function zoneOf(from: JsonObject, field: string): Head["zone"] {
  const zone = optionalObject(from, field);
  if (!zone || !isHexId(text(zone, "id"))) throw new DecodeError(field, "a zone with its id", from[field]);
  return { id: zoneId(text(zone, "id")), name: text(zone, "name") };
}

/** Encodes results as lines: what they belong to, one result a line, and a footer with the count and a checksum. */
export function* encodeLost({ records, ...head }: LostResults): Iterable<string> {
  const hash = runningDigest();
  for (const line of [HEAD.encode(head), ...records.map((each) => RECORD.encode(each))].map(canonical)) {
    hash.add(`${line}\n`);
    yield line;
  }
  yield canonical({ count: records.length, sha256: hash.hex() });
}

/** Reads the lines that `encodeLost` wrote. Throws `StateError` for anything else. `where` names them in messages. */
export async function decodeLost(lines: AsyncIterable<string>, where: string): Promise<LostResults> {
  const read = await collected(lines);
  const [first, ...rest] = read.map(parse);
  const footer = rest.pop();
  if (first?.["format"] !== FORMAT) throw damaged(where, 1, "it does not say that it holds lost results");
  if (first["version"] !== VERSION) throw damaged(where, 1, "another version of zoneform wrote it");
  if (!footer || !isWhole(read, footer)) throw damaged(where, read.length, "it does not match its checksum");
  return decoded(where, first, rest);
}

function isWhole(lines: readonly string[], footer: JsonObject): boolean {
  const hash = runningDigest();
  for (const line of lines.slice(0, -1)) hash.add(`${line}\n`);
  return optionalText(footer, "sha256") === hash.hex() && optionalNumber(footer, "count") === lines.length - 2;
}

function decoded(where: string, first: JsonObject, rest: readonly (JsonObject | undefined)[]): LostResults {
  let number = 1;
  try {
    const head = HEAD.decode(first);
    const records = rest.map((each) => {
      number += 1;
      return RECORD.decode(each ?? {});
    });
    return { ...head, records };
  } catch (cause) {
    if (cause instanceof DecodeError) throw damaged(where, number, cause.message);
    throw cause;
  }
}

function damaged(where: string, line: number, what: string): StateError {
  return new StateError({
    code: "lost-results-damaged",
    message: `these are no lost results that can be merged: ${what}`,
    remedy: "apply again: the next run finds out what happened, without the file",
    at: { file: where, line, column: 1 },
  });
}
