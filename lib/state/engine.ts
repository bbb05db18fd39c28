import type { ZoneId } from "../core/brand.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { type Holding, type Lease, type LockHolder, StoreConflict, type Taken } from "./lock.ts";
import { parseObject } from "../core/json.ts";

/** A zone of a project: the key of everything that an engine keeps, except its shared texts. */
export interface ZoneKey {
  readonly project: string;
  readonly zone: ZoneId;
}

/** A zone in a list. */
export interface ListedZone extends ZoneKey {
  /** Whether the zone has more than a lock, if the engine knows that without another request. */
  readonly isKept?: true;
}

/** Named lines: the state of a zone, an earlier copy of it, the record of a run. Immutable, replaced as a whole. */
export interface Entry {
  /** Lower-case letters, digits, hyphens and dots, so that it fits a key, a row, and the end of a file name. */
  readonly name: string;
  /** Identifies exactly these lines; the engine finds them by it. */
  readonly tag: string;
  readonly bytes: number;
  /** The first lines, if they are short. A reader that needs no more does not have to ask for the body. */
  readonly start: readonly string[];
  /** Whether `start` has all of them. */
  readonly isWhole: boolean;
}

/** The entry that is the state of its zone. */
export const STATE = "state";

/** The journal, as the source of a copy. */
export const JOURNAL = "journal";

/**
 * A snapshot of what is kept for a zone. The bodies that it names stay readable for an hour, whatever is written
 * meanwhile. In files they stay until they are replaced; then the reader gets `Outdated` and reads the view again.
 */
export interface View {
  readonly entries: readonly Entry[];
  /** Identifies the journal at this moment. */
  readonly journal: string;
  /** The journal is known to have no lines. */
  readonly isJournalEmpty?: true;
  /**
   * Who took the lock last, and the highest serial of a state since it was last begun; undefined if the lock was never
   * taken.
   */
  readonly taken: Taken | undefined;
}

/** Changes of a zone that take effect together or not at all. Copies come first, then removals, then puts. */
export interface Changes {
  /** The change is refused unless the entry of this name has this tag; undefined: unless there is no such entry. */
  readonly expect?: { readonly name: string; readonly tag: string | undefined };
  /**
   * New names for existing entries as they were before the change, byte for byte, even if damaged. An empty journal is
   * not copied.
   */
  readonly copy?: ReadonlyMap<string, string>;
  readonly remove?: readonly string[];
  /** Read one entry after the other, in this order: later ones may depend on earlier ones. */
  readonly put?: ReadonlyMap<string, AsyncIterable<string>>;
  /** The new lines of the journal; absent: the journal stays as it is. */
  readonly journal?: AsyncIterable<string>;
}

/** A lock that was just taken, with what its holder finds. */
export interface TakenLock {
  readonly lease: Lease;
  readonly view: View;
}

/** A text that all projects of the place share, replaced by compare-and-swap. */
export interface Shared {
  get(signal?: AbortSignal): Promise<SharedText>;
  /** Returns false and changes nothing unless the text has this tag; undefined: unless there is no text. */
  replace(tag: string | undefined, text: string, signal?: AbortSignal): Promise<boolean>;
}

/** A shared text as it was read. */
export interface SharedText {
  /** Text and tag are both undefined if there is none yet. */
  readonly text: string | undefined;
  readonly tag: string | undefined;
  /** The time by the store's clock, in ms since the epoch: runners' clocks decide nothing. */
  readonly now: number;
}

/**
 * Lines of a zone that can be added without its lock. Kept apart, so that a credential can be limited to writing these.
 */
export interface Sightings {
  /** The lines so far, in any order; some may appear twice. */
  lines(key: ZoneKey): AsyncIterable<string>;
  /** Their size; 0 if there are none. */
  bytes(key: ZoneKey): Promise<number>;
  /** Returns once the lines would survive a power cut. */
  add(key: ZoneKey, lines: readonly string[]): Promise<void>;
  /**
   * Replaces the lines by what `keep` returns for them, unless another process does the same. Lines that are added
   * meanwhile stay. A crash at any point loses none of the lines to keep.
   */
  condense(key: ZoneKey, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void>;
}

/**
 * The purpose of a file. `set-aside`: a copy of something damaged that a repair kept, or of what `state rm --zone`
 * removed.
 */
export type Role =
  | "state"
  | "journal"
  | "backup"
  | "record"
  | "observations"
  | "temporary"
  | "lock"
  | "set-aside"
  | "unknown";

/** A file or folder with a zone's id in its name. */
export interface StateFile {
  readonly path: string;
  readonly role: Role;
  /** The name of a copy that was set aside. */
  readonly copy?: string;
  readonly sizeBytes: number;
  /** The permission bits. */
  readonly mode: number;
}

/** What only an engine that keeps files can do. */
export interface Files {
  /** Every file of a zone. */
  list(key: ZoneKey): Promise<readonly StateFile[]>;
  /** Warnings about files that other users can read. */
  warnings(key: ZoneKey): Promise<readonly Diagnostic[]>;
  /** The complete lines of the state or the journal, whatever they hold. Bytes that are not text are replaced. */
  looseLines(key: ZoneKey, part: typeof STATE | typeof JOURNAL): AsyncIterable<string>;
  /** The text after the journal's last line end. */
  tail(key: ZoneKey): Promise<string>;
}

/**
 * How many encrypted lines can be decrypted: there are none (`none`), not one (`unreadable`), or at least one
 * (`readable`).
 */
export type Seal = "none" | "unreadable" | "readable";

/** What only an engine with encrypted lines can do, for repairs and for files from elsewhere. */
export interface Sealed {
  /**
   * Like `Files.looseLines`, with each line that can be decrypted decrypted, in its place or near it. No line is
   * refused.
   */
  looseLines(key: ZoneKey, part: typeof STATE | typeof JOURNAL): AsyncIterable<string>;
  /** Whether any of those lines is encrypted, and whether any can be decrypted. */
  sealOf(key: ZoneKey, part: typeof STATE | typeof JOURNAL): Promise<Seal>;
  /** The decrypted lines of a state from elsewhere; `where` names it in messages. */
  decrypted(key: ZoneKey, lines: AsyncIterable<string>, where: string): AsyncIterable<string>;
}

/** How many changes of a run one write may announce, and how long its results may wait for a write. */
export interface Batch {
  readonly changes: number;
  readonly milliseconds: number;
}

/**
 * Moves lines and keeps these promises about them. What the lines mean, and every other promise, is written once, in
 * `zone/`. Every call throws `StateError` if the place itself has a problem.
 *
 * Wrappers spread an engine, its leases and its parts, so these are object literals whose functions do not use `this`.
 */
export interface Engine {
  /** The zones that may have something kept, in any order. */
  zones(): Promise<readonly ListedZone[]>;
  /** A snapshot of what is kept for a zone, in one round trip. */
  view(key: ZoneKey): Promise<View>;
  /** The lines of an entry of a view. Throws `Outdated` if they were replaced, as `View` says. */
  body(key: ZoneKey, entry: Entry): AsyncIterable<string>;
  /**
   * The lines of the journal of a view, and perhaps some that were added since. A last line that a crash cut off is
   * left out.
   */
  journal(key: ZoneKey, view: View): AsyncIterable<string>;
  /**
   * Makes the changes at one moment and durably; returns the view after them. Throws `StoreConflict` as `append` does.
   */
  commit(key: ZoneKey, lease: Lease, changes: Changes): Promise<View>;
  /**
   * Appends lines to the journal, all or only the first ones; returns once they would survive a power cut. Without
   * lines it only checks the lock. Throws `StoreConflict` if the lease no longer allows writing. One call checks the
   * fence and writes; a place that cannot do both at once checks just before it writes.
   */
  append(key: ZoneKey, lease: Lease, lines: readonly string[]): Promise<void>;
  /** Takes the lock, waiting at most the given time. Throws `Locked`. The engine renews the lease itself. */
  lock(
    key: ZoneKey,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<TakenLock>;
  /** Who holds the lock now; undefined if it is free. */
  holding(key: ZoneKey): Promise<Holding | undefined>;
  /** Frees the lock if it has exactly this id. Its former holder may no longer write. */
  unlock(key: ZoneKey, id: string): Promise<void>;
  /**
   * Who holds the lock, for a user who is about to free it. To find out, it may take the lock for an instant. Absent if
   * `holding` knows.
   */
  inquire?(key: ZoneKey): Promise<Holding | undefined>;
  /** Absent if nothing can be written without the lock. */
  readonly sightings?: Sightings;
  /** Present if each write costs as much as everything kept for the zone. A run then writes rarely. */
  readonly batch?: Batch;
  /** Present if the engine keeps files, which a person can look at and move, and a crash or a disk can tear. */
  readonly files?: Files;
  /** Present if lines are encrypted when written and decrypted when read. */
  readonly sealed?: Sealed;
  /** A text of the whole place, by a name that is one word. */
  shared(name: string): Shared;
  /** Checks, before anything changes live, that this many bytes could be kept. */
  check(key: ZoneKey, bytes: number): Promise<void>;
  /** Names the place, or an entry or journal in it, for messages; never shows a password. */
  describe(key?: ZoneKey, name?: string): string;
  /** Ends what this process has open here: connections and renewals. */
  close(): Promise<void>;
}

/** The most bytes of an entry that a view repeats. Views are read and written often, so they have to stay small. */
export const LONGEST_START_BYTES: number = 2048;

/** The exception: the first line of a state, which has its serial, may be this long. */
export const LONGEST_FIRST_LINE_BYTES: number = 64 * 1024;

/** Lines that are noted for a view while they pass. */
export interface Noting {
  readonly lines: AsyncIterable<string>;
  /** The notes, once all lines have passed. */
  noted(): Pick<Entry, "bytes" | "start" | "isWhole">;
}

/** Notes what a view repeats of an entry, while its lines are stored. */
export function noting(from: AsyncIterable<string>): Noting {
  const start: string[] = [];
  let [bytes, isWhole] = [0, true];
  async function* passing(): AsyncIterable<string> {
    for await (const line of from) {
      bytes += Buffer.byteLength(line) + 1;
      isWhole &&= bytes <= LONGEST_START_BYTES;
      if (isWhole || (start.length === 0 && bytes <= LONGEST_FIRST_LINE_BYTES)) start.push(line);
      yield line;
    }
  }
  return { lines: passing(), noted: () => ({ bytes, start, isWhole }) };
}

/** The entry of a name. */
export function entryOf<E extends Entry>(entries: readonly E[], name: string): E | undefined {
  return entries.find((entry) => entry.name === name);
}

/** The serial of a state or of a copy of one, from its first line; 0 if it has none. */
export function serialOf({ start }: Pick<Entry, "start">): number {
  return headerSerial(start[0] ?? "");
}

/** Throws `StoreConflict` unless the entries are as expected. */
export function checkExpected(entries: readonly Entry[], { expect }: Changes): void {
  if (expect && entryOf(entries, expect.name)?.tag !== expect.tag) throw replacedMeanwhile();
}

/** The entries after a change. `made` are the entries that were put and the copies of the journal. */
export function changedEntries<E extends Entry>(
  before: readonly E[],
  { copy, remove = [] }: Changes,
  made: readonly E[],
): readonly E[] {
  const copies = [...(copy ?? [])].flatMap(([name, source]) => {
    const found = entryOf(before, source);
    return found ? [{ ...found, name }] : [];
  });
  const added = new Set([...copies, ...made].map(({ name }) => name));
  const replaced = new Set(made.map(({ name }) => name));
  return [
    ...before.filter(({ name }) => !added.has(name) && !remove.includes(name)),
    ...copies.filter(({ name }) => !replaced.has(name)),
    ...made,
  ];
}

/**
 * The highest serial since the state was last begun, given the one before; 0 without a state, so that the next may have
 * any.
 */
export function highestSerial(entries: readonly Entry[], before: number): number {
  const state = entryOf(entries, STATE);
  return state ? Math.max(before, serialOf(state)) : 0;
}

/** The serial in the first line of a snapshot, which is never encrypted; 0 if it cannot be read. */
export function headerSerial(line: string): number {
  const serial = parseObject(line)?.["serial"];
  return typeof serial === "number" && Number.isSafeInteger(serial) && serial >= 0 ? serial : 0;
}

/** How long a database or bucket keeps replaced lines, for processes that are still reading them. */
export const REPLACED_STAYS_MILLISECONDS: number = 60 * 60_000;

/** Another run wrote the state in the meantime, so this one does not overwrite it. */
export function replacedMeanwhile(): StoreConflict {
  return new StoreConflict("the state was replaced by another run since it was read");
}
