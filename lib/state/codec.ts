import { problem, topOf } from "../core/diagnostic.ts";
import { canonical, defined, isObject, type Json, type JsonObject } from "../core/json.ts";
import { isHexId, type ZoneId, zoneId } from "../core/brand.ts";
import {
  DecodeError,
  decodeOr,
  object,
  object as objectAt,
  objects,
  optionalNumber,
  optionalObject,
  text,
  texts,
  wholeNumber,
} from "../core/decode.ts";
import { runningDigest } from "../core/digest.ts";
import { refuseNewer, StateError } from "./error.ts";
import type { AppliedBy, Reviewed, Seen, SourceSeen, State, StateObject, Unanswered } from "./state.ts";
import { type Codec, flag, nested, optional, optionalStruct, struct } from "../core/codec.ts";

const FORMAT = "zoneform-state";
const VERSION = 1;

/**
 * Encodes a state as lines without line ends: a header, one object per line by address, and a footer with the count and
 * the SHA-256 of every byte before it. Equal states give equal bytes.
 */
export function* encodeState(state: State): Iterable<string> {
  const hash = runningDigest();
  for (const line of content(state)) {
    hash.add(`${line}\n`);
    yield line;
  }
  yield canonical({ count: state.objects.size, sha256: hash.hex() });
}

function* content(state: State): Iterable<string> {
  const { id, name } = state.zone;
  const { lineage, serial, secretKey, removedUntil } = state;
  const sources = state.sources ? { sources: encodeSources(state.sources) } : {};
  const zone = { id, name };
  const head = { format: FORMAT, version: VERSION, zone, lineage, serial, secret_key: secretKey, ...sources };
  yield canonical({ ...head, ...defined({ removed_until: removedUntil }) });
  if (state.reviewed) yield canonical({ reviewed: REVIEWED.encode(state.reviewed) });
  for (const address of inCodePointOrder(state.objects.keys())) {
    const object = state.objects.get(address);
    if (object) yield canonical({ address, ...OBJECT.encode(object) });
  }
  for (const [removed, by] of state.removed ?? []) yield canonical({ removed, by });
}

/**
 * Reads the lines that `encodeState` wrote, as a stream. `where` names the state in messages; with `zone`, the state
 * must be that zone's. Throws `StateError` for everything else: no lines, any damage, a newer format, another zone.
 * Damage never reads as an empty state.
 */
export async function decodeState(lines: AsyncIterable<string>, where: string, zone?: ZoneId): Promise<State> {
  return (await decodeWithDigest(lines, where, zone)).state;
}

/** A state, and the SHA-256 of its content, which does not depend on how a store keeps its lines. */
export interface DigestedState {
  readonly state: State;
  readonly sha256: string;
}

/** Like `decodeState`, with the digest of its footer. */
export async function decodeWithDigest(
  lines: AsyncIterable<string>,
  where: string,
  zone?: ZoneId,
): Promise<DigestedState> {
  const reader = stateReader(where, zone);
  for await (const line of lines) reader.take(line);
  return reader.finish();
}

/** The digest in the last line of an encoded state. */
export function digestIn(footer: string): string {
  return text(parse(footer, "a state that was just encoded", 1), "sha256");
}

type Header = Omit<State, "objects" | "removed">;

function stateReader(where: string, zone: ZoneId | undefined): { take(line: string): void; finish(): DigestedState } {
  const hash = runningDigest();
  const objects = new Map<string, StateObject>();
  const removed = new Map<string, AppliedBy>();
  let reviewed: Reviewed | undefined;
  let number = 0;
  let header: Header | undefined;
  let closed: string | undefined;

  function take(line: string): void {
    number += 1;
    if (closed !== undefined) throw damaged(where, number, "there are lines after the footer");
    const value = parse(line, where, number);
    if (!header) header = readHeader(value, where, zone);
    else if (Object.hasOwn(value, "address")) addObject(value);
    else if (Object.hasOwn(value, "removed"))
      decoded(where, number, () => removed.set(text(value, "removed"), appliedBy(value, "by")));
    else if (Object.hasOwn(value, "reviewed"))
      reviewed = decoded(where, number, () => REVIEWED.decode(objectAt(value, "reviewed")));
    else return close(value);
    hash.add(`${line}\n`);
  }

  function addObject(value: JsonObject): void {
    const [address, object] = decoded(where, number, () => [text(value, "address"), OBJECT.decode(value)] as const);
    if (objects.has(address)) throw damaged(where, number, `it contains ${address} twice`);
    objects.set(address, object);
  }

  function close(footer: JsonObject): void {
    const sha256 = decoded(where, number, () => text(footer, "sha256"));
    const count = optionalNumber(footer, "count");
    if (count !== objects.size)
      throw damaged(where, number, `it has ${objects.size} objects, but its footer says ${count}`);
    if (sha256 !== hash.hex()) throw damaged(where, number, "the content does not match the checksum of its footer");
    closed = sha256;
  }

  function finish(): DigestedState {
    if (!header) throw damaged(where, undefined, "it is empty; a state always has a header and a footer");
    if (closed === undefined) throw damaged(where, number, "it ends before its footer, so it is truncated");
    const left = removed.size > 0 ? { removed } : {};
    return { state: { ...header, ...defined({ reviewed }), objects, ...left }, sha256: closed };
  }

  return { take, finish };
}

function parse(line: string, where: string, number: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw damaged(where, number, `line ${number} is not JSON`, { cause });
  }
  if (!isObject(value)) throw damaged(where, number, `line ${number} is not a JSON object`);
  return value;
}

function readHeader(header: JsonObject, where: string, wanted: ZoneId | undefined): Header {
  if (header["format"] !== FORMAT) throw damaged(where, 1, "this is not a state: its header does not say so");
  refuseNewer(header, VERSION, "the state", where);
  if (header["version"] !== VERSION) throw damaged(where, 1, "its header has no valid version");
  const read = decoded(where, 1, () => headerFields(header));
  if (wanted !== undefined && read.zone.id !== wanted) throw ofAnotherZone(where, read.zone, wanted);
  return read;
}

function headerFields(header: JsonObject): Header {
  const zone = optionalObject(header, "zone");
  if (!zone || !isHexId(text(zone, "id"))) throw new DecodeError("zone", "a zone with its id", header["zone"]);
  const serial = wholeNumber(header, "serial");
  const sources = optionalObject(header, "sources");
  const removedUntil = optionalNumber(header, "removed_until");
  const secretKey = text(header, "secret_key");
  if (!/^[0-9a-f]{64}$/.test(secretKey)) throw new DecodeError("secret_key", "64 hex digits", header["secret_key"]);
  return {
    zone: { id: zoneId(text(zone, "id")), name: text(zone, "name") },
    lineage: lineage(header),
    serial,
    secretKey,
    ...(sources ? { sources: decodeSources(sources) } : {}),
    ...defined({ removedUntil }),
  };
}

function lineage(header: JsonObject): string {
  const value = text(header, "lineage");
  if (value === "") throw new DecodeError("lineage", "a UUID", value);
  return value;
}

function decoded<T>(where: string, line: number, read: () => T): T {
  return decodeOr(read, (cause) => {
    throw damaged(where, line, `line ${line}: ${cause.message}`, { cause });
  });
}

function ofAnotherZone(where: string, found: State["zone"], wanted: ZoneId): StateError {
  const values = { found: found.id, name: JSON.stringify(found.name), wanted };
  return new StateError(problem("state-of-another-zone", values, { at: topOf(where) }));
}

function damaged(where: string, line: number | undefined, what: string, options?: ErrorOptions): StateError {
  const at = { file: where, line: line ?? 1, column: 1 };
  return new StateError(problem("state-damaged", { message: `the state is damaged: ${what}` }, { at }), options);
}

/** Sorts texts by code point, which is also the order of their UTF-8 bytes. */
function inCodePointOrder(texts: Iterable<string>): readonly string[] {
  const list = [...texts];
  // JavaScript sorts by UTF-16 unit, which gives the same order unless a text has characters beyond the first 65,536.
  return list.some((text) => /[\uD800-\uDFFF]/.test(text)) ? list.sort(byCodePoints) : list.sort();
}

function byCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/**
 * Surrogates encode characters above all others, but their units are lower than E000-FFFF, so those are ranked below
 * them.
 */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The line of a state that has the foreign rules. */
const REVIEWED: Codec<Reviewed> = struct<Reviewed>({ at: text, entryPoints: rulesByPhase });

/** Reads lists of rules by phase. Throws `DecodeError`. */
export function rulesByPhase(from: JsonObject, name: string): Reviewed["entryPoints"] {
  const phases = object(from, name);
  return Object.fromEntries(Object.keys(phases).map((phase) => [phase, objects(phases, phase)]));
}

/** A status with its time. */
export const SEEN: Codec<Seen> = struct<Seen>({ status: text, at: text });

/** A remembered object, for the lines of a state, of a journal and of a run's record. */
export const OBJECT: Codec<StateObject> = struct<Omit<StateObject, "observed">>({
  kind: text,
  key: text,
  id: text,
  applied: object,
  by: optional(appliedBy),
  protect: mark,
  seen: optional(nested(SEEN)),
  undeclared: mark,
  pending: pendingCreate,
  since: optional(text),
  asked: optional(text),
  unanswered: unansweredWrite,
  uploaded: optional(texts),
});

/** Reads which runs applied what. Throws `DecodeError`. */
export function appliedBy(from: JsonObject, field: string): AppliedBy {
  const runs = Object.entries(object(from, field)).map(([path, run]): [string, string] => {
    if (typeof run !== "string") throw new DecodeError(field, "a run for each path", run);
    return [path, run];
  });
  return Object.fromEntries(runs);
}

/** Strict, because a damaged mark that reads as absent would remove a protection. */
function mark(from: JsonObject, field: string): true | undefined {
  const value = from[field];
  if (value !== undefined && value !== true) throw new DecodeError(field, "true or absent", value);
  return value;
}

function pendingCreate(from: JsonObject, field: string): "create" | undefined {
  const value = from[field];
  if (value !== undefined && value !== "create") throw new DecodeError(field, '"create" or absent', value);
  return value;
}

function unansweredWrite(from: JsonObject, field: string): Unanswered | undefined {
  if (from[field] === undefined) return undefined;
  const write = optionalObject(from, field);
  if (!write) throw new DecodeError(field, "an object", from[field]);
  const [run, action] = [text(write, "run"), text(write, "action")];
  if (action === "delete") return { run, action };
  const sent = optionalObject(write, "sent");
  if (action !== "update" || !sent) throw new DecodeError(field, "an update or a deletion", write);
  return { run, action, sent, ...defined({ by: optional(appliedBy)(write, "by") }) };
}

/** Encodes what is remembered about the sources, as JSON. */
export function encodeSources(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  return Object.fromEntries(Object.entries(sources).map(([name, seen]) => [name, SOURCE.encode(seen)]));
}

/** Reads what `encodeSources` wrote. Throws `DecodeError`. */
export function decodeSources(sources: JsonObject): Readonly<Record<string, SourceSeen>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, SOURCE.decode(isObject(source) ? source : noRows(source))]),
  );
}

const MISSING: Codec<NonNullable<SourceSeen["missing"]>> = struct<NonNullable<SourceSeen["missing"]>>({
  rows: texts,
  isMore: flag,
});

const SOURCE: Codec<SourceSeen> = struct<SourceSeen>({
  rows: (from, field) => optionalNumber(from, field) ?? noRows(from),
  first: text,
  end: texts,
  missing: optionalStruct(MISSING),
});

function noRows(source: Json): never {
  throw new DecodeError("sources", "the rows of each source", source);
}
