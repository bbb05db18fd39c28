import { pauseBefore } from "../../core/backoff.ts";
import type { Codec } from "../../core/codec.ts";
import type { DiagnosticDetails } from "../../core/diagnostic.ts";
import { BucketLost } from "./bucket.ts";
import { bytesOf, valueIn } from "./json-object.ts";
import { BACKOFF } from "./patience.ts";
import { create, deadlineOf, find, type Place, replace } from "./place.ts";

/** What several processes write without a lock. */
export interface Shared {
  /** Different in each version, so that no two have the same tag. */
  readonly nonce: string;
}

/** An object that several processes write. */
export interface SharedObject<T> {
  readonly key: string;
  readonly codec: Codec<T>;
  /** What it is before anybody wrote it. */
  readonly empty: T;
  /** What is wrong if it cannot be read, if that is no damage of a state. */
  readonly damage?: (name: string) => DiagnosticDetails;
}

/** The object as it is now. */
export async function readShared<T extends Shared>(
  place: Place,
  { key, codec, empty, damage }: SharedObject<T>,
): Promise<T> {
  const found = await find(place, key);
  return found ? valueIn(codec, found.bytes, place.prefix + key, damage) : empty;
}

/**
 * Changes the object in one step, again from the start if another process was faster; returns what it is then. `change`
 * returns undefined where nothing is to be done.
 */
export async function updateShared<T extends Shared>(
  place: Place,
  { key, codec, empty, damage }: SharedObject<T>,
  change: (value: T) => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const { steady, random, prefix } = place;
  const deadline = deadlineOf(place);
  for (let attempt = 0; ; attempt += 1) {
    const found = await find(place, key, deadline);
    const value = found ? valueIn(codec, found.bytes, prefix + key, damage) : empty;
    const changed = await change(value);
    if (changed === undefined) return value;
    const wanted: T = { ...changed, nonce: random.uuid() };
    const bytes = bytesOf(codec, wanted);
    const tag = found
      ? await replace(place, key, found.tag, bytes, deadline)
      : await create(place, key, bytes, deadline);
    if (tag !== undefined) return wanted;
    if (steady.now() > deadline()) throw new BucketLost("too many processes write the same object");
    // Not all of those that lost may come back at the same moment.
    await steady.sleep(random.fraction() * pauseBefore(BACKOFF, Math.min(attempt, 4)), place.signal);
  }
}
