import { createHash } from "node:crypto";
import { type Backoff, type Clock, pauseBefore, type Random, type SteadyClock } from "../../../core/clock.ts";
import { type Away, retryUntil } from "../waiting.ts";
import { type Bucket, BucketLost, BucketRefused, type Found } from "./bucket.ts";
import { conditionsIgnored, explained } from "./failure.ts";

/** How long to wait for a server that this run has reached before. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long to wait before the first contact: the address may be wrong. */
const FIRST_PATIENCE_MILLISECONDS = 5000;

/** The pauses between attempts. */
export const BACKOFF: Backoff = { firstMilliseconds: 50, longestMilliseconds: 2000 };

/** How often to read an object until two reads agree; no object is written that often. */
const MOST_READS = 20;

/** How often in a row a server may refuse a write that it should accept, as its own next response shows. */
const MOST_MISMATCHES = 5;

/** How many objects to delete at once. */
const DELETES_AT_ONCE = 8;

/** How long a write may wait for the deletions that follow it. */
const SWEEP_MILLISECONDS = 2000;

/** What every part of the store works with. */
export interface Place {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** The start of every key: empty, or ending in a slash. */
  readonly prefix: string;
  /** The bucket and the prefix, for messages. */
  readonly where: string;
  /** The same with the server, if known. */
  readonly server: string;
  readonly away?: Away | undefined;
  /** How long to wait for a server that is gone. */
  readonly patienceMilliseconds: number;
  /** Ends requests and the wait for an unreachable server, while the caller may give up. */
  readonly signal?: AbortSignal | undefined;
  /** What this process knows about its server. */
  readonly known: { wasReached: boolean; isTrusted: boolean; hasGivenUp: boolean };
}

/** The server's time in ms since the epoch; this machine's time before the first response. */
export function serverNow({ bucket, clock }: Pick<Place, "bucket" | "clock">): number {
  return Math.floor(bucket.now() ?? clock.now());
}

/** The deadline for retries of a call that starts now, by the steady clock. */
function deadlineOf({ steady, patienceMilliseconds, known }: Place): number {
  // After the first wait in vain, later calls try only once: a run that ends must not wait at each step.
  if (known.hasGivenUp) return steady.now();
  const most = known.wasReached ? patienceMilliseconds : FIRST_PATIENCE_MILLISECONDS;
  return steady.now() + Math.min(most, patienceMilliseconds);
}

/** Reads an object that may be replaced, retrying until the server responds; undefined if there is none. */
export function find(place: Place, key: string, deadline: number = deadlineOf(place)): Promise<Found | undefined> {
  return untilAnswered(place, deadline, () => readWhole(place.bucket, place.prefix + key, place.signal));
}

/** Like `find`, for an object that is created once: one request, whatever its tag is. */
export function findCreated(place: Place, key: string): Promise<Found | undefined> {
  return untilAnswered(place, deadlineOf(place), () => place.bucket.get(place.prefix + key, place.signal));
}

/**
 * Like `findCreated`, for an object that may not exist: without the right to list the bucket, the response is
 * `AccessDenied`.
 */
export async function findIfAny(place: Place, key: string): Promise<Found | undefined> {
  return findCreated(place, key).catch((error: unknown) => {
    if (error instanceof BucketRefused && error.code === "AccessDenied") return undefined;
    throw error;
  });
}

/** Creates an object, or finds that exactly this object exists already; undefined if another one does. */
export function create(
  place: Place,
  key: string,
  bytes: Uint8Array,
  deadline: number = deadlineOf(place),
): Promise<string | undefined> {
  const send = (): Promise<string | undefined> => place.bucket.create(place.prefix + key, bytes, place.signal);
  return sendUntilSettled(place, key, bytes, send, deadline);
}

/** Replaces a version, or finds that exactly this object is there already; undefined if another one is. */
export function replace(place: Place, key: string, tag: string, bytes: Uint8Array): Promise<string | undefined> {
  const send = (): Promise<string | undefined> => place.bucket.replace(place.prefix + key, tag, bytes, place.signal);
  return sendUntilSettled(place, key, bytes, send);
}

/**
 * Sends an object until the server responds. If the server refuses it, it may exist already: the reply to an earlier
 * attempt was lost.
 */
export async function sendUntilSettled(
  place: Place,
  key: string,
  bytes: Uint8Array,
  send: () => Promise<string | undefined>,
  deadline: number = deadlineOf(place),
): Promise<string | undefined> {
  const made = await untilAnswered(place, deadline, send);
  if (made !== undefined) return made;
  const found = await find(place, key, deadline);
  return found && Buffer.compare(found.bytes, bytes) === 0 ? found.tag : undefined;
}

/** Repeats `send` until there is a response, or until a moment of the steady clock; then throws the last `BucketLost`. */
export async function untilAnswered<T>(place: Place, deadline: number, send: () => Promise<T>): Promise<T> {
  const { known, signal, steady, away } = place;
  const begin = steady.now();
  const isPassing = (error: unknown): boolean => error instanceof BucketLost;
  try {
    const answer = await retryUntil(
      { clock: steady, deadline: () => deadline, isPassing, backoff: BACKOFF, away },
      send,
      signal,
    );
    Object.assign(known, { wasReached: true, hasGivenUp: false });
    return answer;
  } catch (error) {
    // A caller that tries only once anyway does not show that the server is gone.
    known.hasGivenUp ||= error instanceof BucketLost && steady.now() - begin >= FIRST_PATIENCE_MILLISECONDS;
    throw error;
  }
}

/** Deletes an object, retrying until the server responds. */
export function remove(place: Place, key: string): Promise<void> {
  return untilAnswered(place, deadlineOf(place), () => place.bucket.remove(place.prefix + key, place.signal));
}

/**
 * Deletes unused objects and returns the keys of those that are gone. It stops after a short time or at the first
 * failure, because the caller waits; the rest is deleted next time.
 */
export async function sweep(
  { bucket, prefix, steady, signal }: Place,
  keys: Iterable<string>,
): Promise<readonly string[]> {
  const gone: string[] = [];
  const left = [...keys];
  const deadline = steady.now() + SWEEP_MILLISECONDS;
  while (left.length > 0) {
    const some = left.splice(0, DELETES_AT_ONCE);
    const outcomes = await Promise.allSettled(some.map((key) => bucket.remove(prefix + key, signal)));
    gone.push(...some.filter((_key, index) => outcomes[index]?.status === "fulfilled"));
    if (steady.now() >= deadline || outcomes.some(({ status }) => status === "rejected")) break;
  }
  return gone;
}

/** Runs `act` and turns what the bucket throws into a `StateError`. `what` continues "the state at … cannot be". */
export async function withStateErrors<T>({ where }: Place, what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw explained(error, where, what);
  }
}

/**
 * Reads one version of an object that others may replace meanwhile; undefined if there is none. During a write, some
 * servers return the tag of one version with the bytes of another, and replacing that version would undo the write. So
 * a body that does not match its tag's digest is read until two responses agree. Throws as `Bucket` does.
 */
export async function readWhole(bucket: Bucket, key: string, signal?: AbortSignal): Promise<Found | undefined> {
  let before: Found | undefined;
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const found = await bucket.get(key, signal);
    if (!found || md5(found.bytes) === found.tag) return found;
    if (before?.tag === found.tag && Buffer.compare(before.bytes, found.bytes) === 0) return found;
    before = found;
  }
  throw new BucketLost(`the object ${key} changes faster than it can be read`);
}

function md5(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

/**
 * Counts how often the server refused a conditional write, and pauses each time. Throws `StateError`, with what is
 * wrong with the server, if it keeps refusing to change the same version. One refusal is fine: an earlier request may
 * have arrived late.
 */
export function refusalCounter(
  { steady, where, signal }: Place,
  what = "it refuses a write with the right If-Match",
): (version?: string) => Promise<void> {
  let refused: string | undefined;
  let times = 0;
  return async (version) => {
    times = version === refused ? times + 1 : 1;
    refused = version;
    if (times >= MOST_MISMATCHES) throw conditionsIgnored(where, what);
    await steady.sleep(pauseBefore(BACKOFF, times - 1), signal);
  };
}
