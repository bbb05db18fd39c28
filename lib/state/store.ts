import type { ZoneId } from "../core/brand.ts";
import { error, Refusal } from "../core/diagnostic.ts";

/** Who holds a lock, in words for the person who waits for it. */
export interface LockHolder {
  /** The id that `state unlock` wants. */
  readonly id: string;
  /** `user@host`. */
  readonly who: string;
  readonly processId: number;
  readonly operation: string;
  /** RFC 3339. */
  readonly since: string;
  /** The page of the CI run, where the environment names one. */
  readonly runUrl?: string;
}

/** A lock that somebody has. */
export interface Holding {
  /** What `unlock` wants, to the letter. */
  readonly unlockId: string;
  /** Undefined where the holder's mark cannot be read. */
  readonly holder: LockHolder | undefined;
  /** Whether the holder's process is known to live; undefined where it cannot be told from here. */
  readonly isAlive: boolean | undefined;
}

/** What the newest generation of a lock says, whether it is held or was released. */
export interface Taken {
  readonly holder: LockHolder;
  /** The highest serial that a holder of the lock found; 0 where there was no state. */
  readonly serial: number;
}

/** The right to write a zone's state. */
export interface Lease {
  readonly id: string;
  /** Rises with each holder: a write under an older fence is refused. */
  readonly fence: number;
  release(): Promise<void>;
}

/** A stored snapshot. */
export interface StoredState {
  /** The lines as written, header first, footer last. */
  readonly lines: AsyncIterable<string>;
  /** What a writer must name to replace exactly this snapshot. */
  readonly version: string;
}

/**
 * Where states live. The store moves lines and keeps promises about them; what the lines mean is not its business.
 * Local files now; HTTP, S3 and PostgreSQL stores implement the same promises.
 */
export interface StateStore {
  /** The snapshot, or undefined where there never was one. An empty file is a snapshot, of no lines. */
  read(zone: ZoneId): Promise<StoredState | undefined>;
  /**
   * Replaces the snapshot at once and for good; gives the new version. Afterwards the journal is empty.
   * Throws `StoreConflict` where the snapshot is not the expected one (`undefined`: there must be none) or a newer
   * lease has been given out since.
   */
  write(zone: ZoneId, lease: Lease, expected: string | undefined, lines: AsyncIterable<string>): Promise<string>;
  /** Adds lines to the zone's journal; returns once they would survive a power cut. */
  append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void>;
  /** Throws `StoreConflict` where the lease is no longer the right to write. */
  checkHeld(zone: ZoneId, lease: Lease): Promise<void>;
  /** The journal's lines; a last line that was cut short by a crash is left out. */
  journal(zone: ZoneId): AsyncIterable<string>;
  /**
   * Keeps a record beside the state, whole and for good, in place of one of the same name (`[a-z0-9-]+`). Throws
   * `StoreConflict` where a newer lease has been given out.
   */
  keep(zone: ZoneId, lease: Lease, name: string, lines: AsyncIterable<string>): Promise<void>;
  /** The lines of a record that was kept; undefined where there is none of this name. */
  kept(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined>;
  /** The names of the records that are kept, in order. */
  names(zone: ZoneId): Promise<readonly string[]>;
  /** Keeps a record no longer; one that is gone is no error. Throws `StoreConflict` as `keep` does. */
  discard(zone: ZoneId, lease: Lease, name: string): Promise<void>;
  /**
   * Adds lines to what is on record of the zone's hostnames; returns once they would survive a power cut. Needs no lock:
   * several runs may add at once, and none loses what another one added. Throws `StateError` where nothing can be written.
   */
  observe(zone: ZoneId, lines: readonly string[]): Promise<void>;
  /** The lines that were added, in no certain order, some perhaps twice; one that was cut short by a crash is left out. */
  observations(zone: ZoneId): AsyncIterable<string>;
  /**
   * Puts what `keep` gives of the lines in their place. Lines that others add meanwhile stay, and a crash at any point
   * loses none that is to be kept. Needs no lock; where somebody else is doing the same, it may leave it to them.
   */
  condense(zone: ZoneId, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void>;
  /** Takes the zone's lock, waiting at most the time given. Throws `Locked`. */
  lock(zone: ZoneId, holder: Omit<LockHolder, "id">, waitMilliseconds: number, signal?: AbortSignal): Promise<Lease>;
  /** Who holds the zone's lock just now; undefined where it is free. */
  holding(zone: ZoneId): Promise<Holding | undefined>;
  /** Who took the zone's lock last, and over which state; undefined where nothing says it. */
  taken(zone: ZoneId): Promise<Taken | undefined>;
  /**
   * Frees the lock from outside, for `state unlock`: `id` must be the holder's id, to the letter. Whoever held it may
   * write no more. Throws `StateError` where it is another id or nothing is locked.
   */
  unlock(zone: ZoneId, id: string): Promise<void>;
  /**
   * Finds out before anything is changed live whether a state of about this many bytes could be kept.
   * Throws `StateError` where it could not: no right to write, read-only, disk full.
   */
  checkWritable(zone: ZoneId, expectedBytes: number): Promise<void>;
  /**
   * The serials of the earlier snapshots that are kept, the newest first; none for a store that keeps none. Only a
   * snapshot that was replaced is kept: where there are some and no snapshot, that one was lost.
   */
  backups(zone: ZoneId): Promise<readonly number[]>;
  /** The zones of which something is kept, in order: for whoever looked for the state of another one. */
  zones(): Promise<readonly ZoneId[]>;
  /** Where the state of the zone, or its journal, lives, for messages. */
  describe(zone: ZoneId, part?: "state" | "journal"): string;
}

/** Somebody else holds the lock. */
export class Locked extends Error {
  readonly holder: LockHolder | undefined;
  /** Whether the holder's process is known to live; undefined where it cannot be told from here. */
  readonly isAlive: boolean | undefined;

  constructor(message: string, holder: LockHolder | undefined, isAlive: boolean | undefined) {
    super(message);
    this.name = "Locked";
    this.holder = holder;
    this.isAlive = isAlive;
  }
}

/** The snapshot was replaced by somebody else, or the lock is held no longer. No fault of ours: whoever freed it meant to. */
export class StoreConflict extends Refusal {
  constructor(message: string) {
    super([error({ code: "state-taken-over", message, remedy: "apply again: it continues from what is known then" })]);
    this.name = "StoreConflict";
  }
}
