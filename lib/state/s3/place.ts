import type { ZoneId } from "../../core/brand.ts";
import type { Clock, Random, SteadyClock } from "../../core/clock.ts";
import { sessionIn } from "../lease-sessions.ts";
import type { Lease } from "../store.ts";
import type { Bucket, Found } from "./bucket.ts";
import { explained } from "./failure.ts";
import { FIRST_PATIENCE_MILLISECONDS, persist } from "./patience.ts";
import type { Session } from "./held-lock.ts";

/** What every part of the store works with. */
export interface Place {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** In front of every key: empty, or ending in a slash. */
  readonly prefix: string;
  /** The bucket and the prefix, for messages. */
  readonly where: string;
  /** How long to wait for a server that is gone. */
  readonly patienceMilliseconds: number;
  /** Ends waiting for a server that is gone, while somebody waits who may give up. */
  readonly signal?: AbortSignal | undefined;
  /** What this process knows of its server. */
  readonly known: { wasReached: boolean; isTrusted: boolean };
  /** The sessions of the leases that were given out here, by `sessionName`. */
  readonly sessions: Map<string, Session>;
}

/** The session of a lease. Throws `StoreConflict` if it has none any more. */
export function sessionOf({ sessions }: Place, project: string, zone: ZoneId, lease: Lease): Session {
  return sessionIn(sessions, project, zone, lease);
}

/** Until when a call that starts now is repeated. */
export function deadlineOf({ steady, patienceMilliseconds, known }: Place): () => number {
  const begin = steady.now();
  const first = Math.min(patienceMilliseconds, FIRST_PATIENCE_MILLISECONDS);
  return () => begin + (known.wasReached ? patienceMilliseconds : first);
}

/** An object, asked for until the server answers; undefined if there is none. */
export async function find(
  place: Place,
  key: string,
  deadline: () => number = deadlineOf(place),
): Promise<Found | undefined> {
  const found = await persist(place.steady, deadline, () => place.bucket.get(place.prefix + key), place.signal);
  place.known.wasReached = true;
  return found;
}

/** Creates an object, or finds that this very object is there already; undefined if another one is. */
export async function create(
  place: Place,
  key: string,
  bytes: Uint8Array,
  deadline: () => number = deadlineOf(place),
): Promise<string | undefined> {
  const made = await persist(
    place.steady,
    deadline,
    () => place.bucket.create(place.prefix + key, bytes),
    place.signal,
  );
  place.known.wasReached = true;
  if (made !== undefined) return made;
  // Perhaps it is ours: the reply to an earlier attempt was lost.
  const found = await find(place, key, deadline);
  return found && Buffer.compare(found.bytes, bytes) === 0 ? found.tag : undefined;
}

/** Replaces a version, or finds that this very object is there already; undefined if another one is. */
export async function replace(
  place: Place,
  key: string,
  tag: string,
  bytes: Uint8Array,
  deadline: () => number = deadlineOf(place),
): Promise<string | undefined> {
  const made = await persist(
    place.steady,
    deadline,
    () => place.bucket.replace(place.prefix + key, tag, bytes),
    place.signal,
  );
  place.known.wasReached = true;
  if (made !== undefined) return made;
  const found = await find(place, key, deadline);
  return found && Buffer.compare(found.bytes, bytes) === 0 ? found.tag : undefined;
}

/** Deletes objects that nobody needs; what cannot be deleted stays. */
export async function sweep({ bucket, prefix }: Place, keys: readonly string[]): Promise<void> {
  for (const key of keys) await bucket.remove(prefix + key).catch(() => undefined);
}

/** Runs `act`; what the bucket throws becomes a `StateError`. `what` continues "the state at … cannot be". */
export async function told<T>({ where }: Place, what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw explained(error, where, what);
  }
}
