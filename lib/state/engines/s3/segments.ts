import type { Random } from "../../../core/clock.ts";
import { optionalText } from "../../../core/decode.ts";
import { isObject } from "../../../core/json.ts";
import { StateError } from "../../error.ts";
import type { JournalName, Keys } from "./head.ts";
import { findCreated, findIfAny, type Place, told } from "./place.ts";

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
