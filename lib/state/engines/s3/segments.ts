import type { Random } from "../../../core/clock.ts";
import { optionalText } from "../../../core/decode.ts";
import { isObject } from "../../../core/json.ts";
import { StateError } from "../../error.ts";
import type { JournalName, Keys } from "./head.ts";
import { findCreated, findIfAny, type Place, told } from "./place.ts";

/** An object of lines has so many bytes at most, so that each is sent and read in a bounded time and memory. */
const MOST_BYTES = 4 * 1024 * 1024;

/** How many objects are read at once. */
const SEGMENTS_AT_ONCE = 8;

/** An object of a journal: its first line says whose it is, so that no two are the same. */
export interface Segment {
  readonly bytes: Uint8Array;
  readonly number: number;
}

/** The objects of a journal, up to the first that is not there. Throws `StateError` if one is missing. */
export async function* segmentsOf(
  place: Place,
  keys: Keys,
  { name, segments }: JournalName,
  from = 0,
): AsyncIterable<Segment> {
  const load = (number: number): Promise<Uint8Array | undefined> => loadSegment(place, keys, name, number, segments);
  for (let first = from; ;) {
    const many = first + 1 < segments ? SEGMENTS_AT_ONCE : 1;
    const found = await told(place, "read", () =>
      Promise.all(Array.from({ length: many }, (_none, index) => load(first + index))),
    );
    for (const [index, bytes] of found.entries()) {
      if (bytes === undefined) return;
      yield { bytes, number: first + index };
    }
    first += many;
  }
}

/** The lines of a journal, up to its first object that is not there. Throws `StateError` if one is missing. */
export async function* linesOfJournal(place: Place, keys: Keys, journal: JournalName): AsyncIterable<string> {
  for await (const { bytes } of segmentsOf(place, keys, journal)) yield* linesOfSegment(bytes);
}

/** What a holder knows of the journal to which it adds: nothing is beyond what this says. */
export interface OwnJournal extends JournalName {
  /** The lines of some of its objects, by their numbers. */
  readonly lines: ReadonlyMap<number, readonly string[]>;
}

/** The lines of a journal whose end is known: what is not remembered is read. */
export async function* linesOfOwn(
  place: Place,
  keys: Keys,
  { name, segments, lines }: OwnJournal,
): AsyncIterable<string> {
  const linesAt = async (number: number): Promise<readonly string[]> =>
    lines.get(number) ?? linesOfSegment((await loadSegment(place, keys, name, number, segments)) ?? new Uint8Array());
  for (let first = 0; first < segments; first += SEGMENTS_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(SEGMENTS_AT_ONCE, segments - first) },
      (_none, index) => first + index,
    );
    for (const some of await told(place, "read", () => Promise.all(numbers.map(linesAt)))) yield* some;
  }
}

async function loadSegment(
  place: Place,
  keys: Keys,
  name: string,
  number: number,
  segments: number,
): Promise<Uint8Array | undefined> {
  const key = keys.segment(name, number);
  // The head says how many there are at least.
  const found = await (number < segments ? findCreated : findIfAny)(place, key);
  if (found || number >= segments) return found?.bytes;
  throw new StateError({
    code: "journal-damaged",
    message: `the journal at ${place.where} is damaged: the object ${place.prefix}${key} is missing`,
    remedy: "restore it, if the bucket keeps versions; to see what can be recovered: zoneform state repair --dry-run",
  });
}

/** The lines of an object of a journal. */
export function linesOfSegment(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes).toString("utf8").split("\n").slice(1, -1);
}

/** An object of a journal; no two are the same. */
export function segment(random: Random, author: string, lines: readonly string[]): Uint8Array {
  return Buffer.from([JSON.stringify({ nonce: random.uuid(), author }), ...lines, ""].join("\n"));
}

/** Whose object of a journal it is; undefined if it does not say. */
export function authorIn(bytes: Uint8Array): string | undefined {
  const end = bytes.indexOf(10);
  try {
    const head: unknown = JSON.parse(Buffer.from(bytes.subarray(0, Math.max(0, end))).toString("utf8"));
    return isObject(head) ? optionalText(head, "author") : undefined;
  } catch {
    return undefined;
  }
}

/** Lines in their order, as many at once as one object may have. A line that is longer has an object of its own. */
export async function* chunksOf(lines: Iterable<string> | AsyncIterable<string>): AsyncIterable<readonly string[]> {
  let chunk: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const size = sizeOf([line]);
    if (chunk.length > 0 && bytes + size > MOST_BYTES) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(line);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** How many bytes lines take. */
export function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
