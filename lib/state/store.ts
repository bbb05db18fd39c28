import type { ZoneId } from "../core/brand.ts";
import { error, Refusal } from "../core/diagnostic.ts";
import { StateError } from "./error.ts";

/** Who holds a lock, described for the person who waits for it. */
export interface LockHolder {
  /** The id to pass to `state unlock`. */
  readonly id: string;
  /** `user@host`. */
  readonly who: string;
  readonly processId: number;
  readonly operation: string;
  /** RFC 3339. */
  readonly since: string;
  /** The page of the CI run, if the environment names one. */
  readonly runUrl?: string;
}

/** A lock that somebody holds. */
export interface Holding {
  /** The exact text that `unlock` takes; undefined if the server does not say who holds the lock, so that only it can free it. */
  readonly unlockId: string | undefined;
  /** Undefined if the holder's mark cannot be read. */
  readonly holder: LockHolder | undefined;
  /**
   * Whether the holder's process is known to live, or counts as dead because the next run takes its lock; undefined if
   * that cannot be told from here.
   */
  readonly isAlive: boolean | undefined;
  /** Present if the holder renews its lock. */
  readonly renewal?: Renewal;
}

/** How a holder renews its lock. */
export interface Renewal {
  /** How long ago the last one was, by the server's clock; absent if the server does not say it. */
  readonly ageMilliseconds?: number;
  /** Whoever watches the lock for so long, and sees no renewal, takes it. */
  readonly deadAfterMilliseconds: number;
}

/** What the newest generation of a lock says, held or released. */
export interface Taken {
  readonly holder: LockHolder;
  /** The highest serial that a holder of the lock found; 0 if there was no state. */
  readonly serial: number;
}

/** The right to write a zone's state. */
export interface Lease {
  readonly id: string;
  /** Rises with each holder: a write with an older fence is refused. */
  readonly fence: number;
  release(): Promise<void>;
}

/** A stored snapshot. */
export interface StoredState {
  /** The lines as written, header first, footer last. */
  readonly lines: AsyncIterable<string>;
  /** Pass it to `write` to replace exactly this snapshot. */
  readonly version: string;
}

/** How many changes of a run may be announced in one write, and how long its results may wait for one. */
export interface Batch {
  readonly changes: number;
  readonly milliseconds: number;
}

/** What is stored of zones, for whoever reads only. */
export interface StateReader {
  /** The snapshot, or undefined if there never was one. An empty file is a snapshot without lines. */
  read(zone: ZoneId): Promise<StoredState | undefined>;
  /** The journal's lines, without a last line that a crash cut off. */
  journal(zone: ZoneId): AsyncIterable<string>;
  /** The lines of a kept record; undefined if there is none with this name. */
  kept(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined>;
  /** The names of the kept records, in order. */
  names(zone: ZoneId): Promise<readonly string[]>;
  /** Who took the zone's lock last, and for which state; undefined if nothing says it. */
  taken(zone: ZoneId): Promise<Taken | undefined>;
  /**
   * The serials of the earlier snapshots that are kept, newest first; empty for a store that keeps none. Only a
   * replaced snapshot is kept: if there are some and no snapshot, that one was lost.
   */
  backups(zone: ZoneId): Promise<readonly number[]>;
  /** Where the zone's state, or its journal, lives, for messages. */
  describe(zone: ZoneId, part?: "state" | "journal"): string;
  /** Whether the journal is known to have no lines: then nobody needs to ask for them. */
  isJournalEmpty?(zone: ZoneId): Promise<boolean>;
  /**
   * Everything that is stored of the zone at one moment. For the holder of its lock it is what that one knows already,
   * because nobody else changes it.
   */
  atOnce?(zone: ZoneId, lease?: Lease): Promise<StateReader>;
}

/** For a caller that reads several things of a zone: what is stored at this moment, where the store can say that. */
export async function atOnce(store: StateReader, zone: ZoneId, lease?: Lease): Promise<StateReader> {
  return (await store.atOnce?.(zone, lease)) ?? store;
}

/** Records that change together with a snapshot. Their lines are taken in this order: `before`, the snapshot's, `after`. */
export interface Beside {
  readonly before?: ReadonlyMap<string, AsyncIterable<string>>;
  readonly after?: ReadonlyMap<string, AsyncIterable<string>>;
  readonly discard?: readonly string[];
}

/**
 * Where states live. A store moves lines and keeps its promises about them; it does not know what they mean. Each
 * engine keeps the same promises, and `tests/stores` holds it to them.
 */
export interface StateStore extends StateReader {
  /** Present if each write costs as much as the whole state: then a run writes seldom. */
  readonly batch?: Batch;
  /** Present if nothing can be kept of what runs see of hostnames: `observe` throws, and `observations` is empty. */
  readonly recordsNothing?: true;
  /**
   * Replaces the snapshot atomically and durably, with the records beside it; returns the new version. Afterwards the
   * journal is empty. Throws `StoreConflict` if the snapshot is not the expected one (`undefined`: there must be none) or
   * a newer lease exists.
   */
  write(
    zone: ZoneId,
    lease: Lease,
    expected: string | undefined,
    lines: AsyncIterable<string>,
    beside?: Beside,
  ): Promise<string>;
  /** Adds lines to the zone's journal; returns once they would survive a power cut. */
  append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void>;
  /** Throws `StoreConflict` if the lease no longer allows writing. */
  checkHeld(zone: ZoneId, lease: Lease): Promise<void>;
  /**
   * Writes a record beside the state, completely and durably, and replaces one of the same name (`[a-z0-9-]+`); the
   * records to discard are deleted with it. Throws `StoreConflict` if a newer lease exists.
   */
  keep(
    zone: ZoneId,
    lease: Lease,
    name: string,
    lines: AsyncIterable<string>,
    discard?: readonly string[],
  ): Promise<void>;
  /** Deletes a record; no error if it does not exist. Throws `StoreConflict` as `keep` does. */
  discard(zone: ZoneId, lease: Lease, name: string): Promise<void>;
  /**
   * Adds lines to the record of the zone's hostnames; returns once they would survive a power cut. Needs no lock:
   * several runs may add at once, and none loses another's lines. Throws `StateError` if nothing can be written.
   */
  observe(zone: ZoneId, lines: readonly string[]): Promise<void>;
  /** The lines that were added, in no particular order, some perhaps twice, without one that a crash cut off. */
  observations(zone: ZoneId): AsyncIterable<string>;
  /**
   * Replaces the lines by what `keep` returns for them. Lines that others add meanwhile stay, and a crash at any point
   * loses none that is to be kept. Needs no lock; if another process is doing the same, it may leave it to them.
   */
  condense(zone: ZoneId, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void>;
  /** Takes the zone's lock, waiting at most the given time. Throws `Locked`. */
  lock(zone: ZoneId, holder: Omit<LockHolder, "id">, waitMilliseconds: number, signal?: AbortSignal): Promise<Lease>;
  /** Who holds the zone's lock now; undefined if it is free. */
  holding(zone: ZoneId): Promise<Holding | undefined>;
  /**
   * The same, asked of the server itself for somebody who is about to free the lock: to find out, it may take the lock for
   * an instant. Absent if `holding` knows.
   */
  inquire?(zone: ZoneId): Promise<Holding | undefined>;
  /**
   * Frees the lock from outside, for `state unlock`: `id` must be exactly the holder's id. The former holder may no
   * longer write. Throws `StateError` if the id differs or nothing is locked.
   */
  unlock(zone: ZoneId, id: string): Promise<void>;
  /**
   * Checks, before anything is changed live, that a state of about this many bytes could be kept. Throws `StateError`
   * if not: no permission to write, read-only, disk full.
   */
  checkWritable(zone: ZoneId, expectedBytes: number): Promise<void>;
  /** The zones for which something is kept, in order: for a caller that did not find the state of another one. */
  zones(): Promise<readonly ZoneId[]>;
}

/** Somebody else holds the lock: the message says who (`describeHolding`), as it follows "the state is". */
export class Locked extends Error {
  readonly holding: Holding;

  constructor(holding: Holding, description: string) {
    super(description);
    this.name = "Locked";
    this.holding = holding;
  }
}

/**
 * Another process replaced the snapshot, or the lock is no longer held. This is not our mistake: whoever freed the lock
 * meant to.
 */
export class StoreConflict extends Refusal {
  constructor(message: string) {
    super([error({ code: "state-taken-over", message, remedy: "apply again: it continues from the current state" })]);
    this.name = "StoreConflict";
  }
}

/**
 * Whether a failure of the store says that this run may not write the state any more: somebody freed or took the lock,
 * or the server did not come back in time. Nothing new is started after it.
 */
export function isLeaseLost(thrown: unknown): thrown is StoreConflict | StateError {
  if (thrown instanceof StoreConflict) return true;
  return thrown instanceof StateError && thrown.diagnostic.code === "state-unreachable";
}
