import type { Random } from "../../../core/clock.ts";
import type { Keys, LineObjects } from "./head.ts";
import { findCreated, findIfAny, type Place, withStateErrors } from "./place.ts";

/** The most bytes of an object with lines, so that each is sent and read in limited time and memory. */
const MOST_BYTES = 4 * 1024 * 1024;

/** How many objects to read at once. */
const READ_AT_ONCE = 8;

/** How to read objects of lines. */
export interface Reading {
  /** Makes the error for a missing object, given its key. */
  readonly missing: (key: string) => Error;
  /** Whether there may be more objects than the count says. */
  readonly mayHaveMore?: boolean;
  /** The lines of some of the objects, by number; these objects are not read. */
  readonly known?: ReadonlyMap<number, readonly string[]> | undefined;
}

/** The lines of objects, in order. Throws `StateError` if an object is missing. */
export async function* linesOf(
  place: Place,
  keys: Keys,
  { name, count }: LineObjects,
  { missing, mayHaveMore = false, known }: Reading,
): AsyncIterable<string> {
  const load = async (number: number): Promise<readonly string[]> => {
    const key = keys.object(name, number);
    const found = known?.get(number) ?? (await findCreated(place, key))?.bytes;
    if (found === undefined) throw missing(place.prefix + key);
    return found instanceof Uint8Array ? linesIn(found) : found;
  };
  for (let first = 0; first < count; first += READ_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(READ_AT_ONCE, count - first) }, (_none, index) => first + index);
    for (const lines of await withStateErrors(place, "read", () => Promise.all(numbers.map(load)))) yield* lines;
  }
  if (!mayHaveMore) return;
  for (let number = count; ; number += 1) {
    const found = await withStateErrors(place, "read", () => findIfAny(place, keys.object(name, number)));
    if (!found) return;
    yield* linesIn(found.bytes);
  }
}

/** The lines of one object. */
export function linesIn(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes).toString("utf8").split("\n").slice(1, -1);
}

/** Lines as the bytes of an object. The first line is random, so that no run takes another run's object for its own. */
export function objectWith(lines: readonly string[], random: Random): Uint8Array {
  return Buffer.from([random.uuid(), ...lines, ""].join("\n"));
}

/** Groups lines, in order, into as many as fit one object. A longer line gets an object of its own. */
export async function* chunksOf(lines: Iterable<string> | AsyncIterable<string>): AsyncIterable<readonly string[]> {
  let chunk: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (chunk.length > 0 && bytes + size > MOST_BYTES) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(line);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
