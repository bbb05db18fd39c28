import type { ZoneId } from "../core/brand.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { type Holding, type Lease, type LockHolder, StoreConflict, type Taken } from "./lock.ts";
import { isObject } from "../core/json.ts";

/** A zone of a project. What an engine keeps is kept for one of them, but for what is shared. */
export interface ZoneKey {
  readonly project: string;
  readonly zone: ZoneId;
}

/** A zone in a list. */
export interface ListedZone extends ZoneKey {
  /** Whether something is kept besides a lock, where that costs no further question. */
  readonly isKept?: true;
}

/** Lines under a name: the state of a zone, an earlier copy of it, the record of a run. Never changed, replaced as a whole. */
export interface Entry {
  /** Lower-case letters, digits, hyphens and dots: it fits a key, a row, and the end of a file's name. */
  readonly name: string;
  /** Names these very lines, and never others: the engine finds them by it. */
  readonly tag: string;
  readonly bytes: number;
  /** The first lines, as far as they are short: who wants no more of an entry needs not ask for its lines. */
  readonly start: readonly string[];
  /** Whether `start` has all of them. */
  readonly isWhole: boolean;
}

/** The entry that is the state of its zone. */
export const STATE = "state";

/** The journal, as the source of a copy. */
export const JOURNAL = "journal";

/**
 * What is kept of a zone at one moment. What it names can be read for an hour, whatever is written meanwhile; in files
 * until it is replaced, and then the reader is told so (`Outdated`), and looks again.
 */
export interface View {
  readonly entries: readonly Entry[];
  /** Names the journal of this moment. */
  readonly journal: string;
  /** The journal is known to have no lines. */
  readonly isJournalEmpty?: true;
  /** Who took the lock last, and the highest serial of a state since somebody began it; undefined if nobody did. */
  readonly taken: Taken | undefined;
}

/** Changes of a zone that are made together, or not at all: the copies first, then what is removed, then what is put. */
export interface Changes {
  /** Refused unless the entry of this name has this tag; undefined: unless there is none. */
  readonly expect?: { readonly name: string; readonly tag: string | undefined };
  /** New names for what other names have before the change, byte for byte, whole or damaged. An empty journal gives none. */
  readonly copy?: ReadonlyMap<string, string>;
  readonly remove?: readonly string[];
  /** Their lines are taken one entry after the other, in this order: the later ones may depend on the earlier ones. */
  readonly put?: ReadonlyMap<string, AsyncIterable<string>>;
  /** The lines of the journal from now on; it stays as it is where this is absent. */
  readonly journal?: AsyncIterable<string>;
}

/** A lock that was just taken, and what its holder finds. */
export interface TakenLock {
  readonly lease: Lease;
  readonly view: View;
}

/** A text of the place that several processes change: who changes it says which version. */
export interface Shared {
  get(signal?: AbortSignal): Promise<SharedText>;
  /** False, and nothing changes, if the text no longer has this tag (undefined: if there is one). */
  replace(tag: string | undefined, text: string, signal?: AbortSignal): Promise<boolean>;
}

/** A shared text as it was read. */
export interface SharedText {
  /** Both are undefined if there is none yet. */
  readonly text: string | undefined;
  readonly tag: string | undefined;
  /** The time of the place, in ms since the epoch: clocks of runners decide nothing. */
  readonly now: number;
}

/** Lines of a zone that anybody may add to without its lock. Apart from all else: some may write nothing but these. */
export interface Sightings {
  /** The lines so far, in any order, some perhaps twice. */
  lines(key: ZoneKey): AsyncIterable<string>;
  /** How much they are; 0 if there are none. */
  bytes(key: ZoneKey): Promise<number>;
  /** Returns once the lines would survive a power cut. */
  add(key: ZoneKey, lines: readonly string[]): Promise<void>;
  /**
   * Replaces the lines by what `keep` returns for them, unless another process does the same. Lines that are added
   * meanwhile stay, and a crash at any point loses none that is to be kept.
   */
  condense(key: ZoneKey, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void>;
}

/**
 * The purpose of a file. `set-aside`: a copy that a repair kept of something damaged, or that `state rm --zone` kept of
 * what it removed.
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

/** What only an engine can say that keeps files. */
export interface Files {
  /** Every file of a zone. */
  list(key: ZoneKey): Promise<readonly StateFile[]>;
  /** What is unsafe about them: other users can read them. */
  warnings(key: ZoneKey): Promise<readonly Diagnostic[]>;
  /** The complete lines of the state or the journal, whatever they hold: bytes that are not text are replaced. */
  looseLines(key: ZoneKey, part: typeof STATE | typeof JOURNAL): AsyncIterable<string>;
  /** The text after the journal's last line end. */
  tail(key: ZoneKey): Promise<string>;
}

/** The state of encrypted lines: there are none (`none`), none of them opens (`closed`), or at least one opens (`open`). */
export type Seal = "none" | "closed" | "open";

/** What only an engine can say whose lines are encrypted: for repairs, and for files from elsewhere. */
export interface Sealed {
  /** As `Files.looseLines`, decrypted as far as they open, in their places or near them; none is refused. */
  looseLines(key: ZoneKey, part: typeof STATE | typeof JOURNAL): AsyncIterable<string>;
  /** Whether any of those lines is encrypted, and whether any opens. */
  sealOf(key: ZoneKey, part: typeof STATE | typeof JOURNAL): Promise<Seal>;
  /** The decrypted lines of a state from elsewhere, `where` for messages. */
  opened(key: ZoneKey, lines: AsyncIterable<string>, where: string): AsyncIterable<string>;
}

/** How many changes of a run may be announced in one write, and how long its results may wait for one. */
export interface Batch {
  readonly changes: number;
  readonly milliseconds: number;
}

/**
 * What keeps states: it moves lines, and keeps these promises about them. What the lines mean, and every other promise, is
 * written once, in `zone/`. Each call throws `StateError` where the place is what is wrong.
 */
export interface Engine {
  /** The zones for which something may be kept, in any order. */
  zones(): Promise<readonly ListedZone[]>;
  /** What is kept of a zone, in one round trip. */
  view(key: ZoneKey): Promise<View>;
  /** The lines of an entry of a view. Throws `Outdated` if they are gone: see there. */
  body(key: ZoneKey, entry: Entry): AsyncIterable<string>;
  /** The lines of the journal of a view, and perhaps some that came since; without a last one that a crash cut off. */
  journal(key: ZoneKey, view: View): AsyncIterable<string>;
  /** Changes what is kept, durably, at one moment; returns what is there now. Throws `StoreConflict` as `append` does. */
  commit(key: ZoneKey, lease: Lease, changes: Changes): Promise<View>;
  /**
   * Adds lines to the journal, all or the first ones; returns once they would survive a power cut. Without lines it only
   * asks for the lock. Throws `StoreConflict` if the lease no longer allows writing: one call finds out and writes, or, where
   * a place cannot do both at once, looks just before it writes.
   */
  append(key: ZoneKey, lease: Lease, lines: readonly string[]): Promise<void>;
  /** Takes the lock, waiting at most the given time. Renewing it is the engine's affair. Throws `Locked`. */
  lock(
    key: ZoneKey,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<TakenLock>;
  /** Who holds the lock now; undefined if it is free. */
  holding(key: ZoneKey): Promise<Holding | undefined>;
  /** Frees the lock of exactly this id. Its former holder may no longer write. */
  unlock(key: ZoneKey, id: string): Promise<void>;
  /** Who holds the lock, for somebody who is about to free it: to find out, it may be taken for an instant. Absent if `holding` knows. */
  inquire?(key: ZoneKey): Promise<Holding | undefined>;
  /** Absent where nothing can be written without the lock. */
  readonly sightings?: Sightings;
  /** Present if each write costs as much as all that is kept of the zone: then a run writes seldom. */
  readonly batch?: Batch;
  /** Present if it keeps files, which a person can look at and move, and a crash or a disk can leave in pieces. */
  readonly files?: Files;
  /** Present if lines are encrypted and decrypted on their way. */
  readonly sealed?: Sealed;
  /** A text of the whole place; the name is a word. */
  shared(name: string): Shared;
  /** Checks, before anything is changed live, that so many bytes could be kept. */
  check(key: ZoneKey, bytes: number): Promise<void>;
  /** Where the place is, or an entry or a journal in it, for messages: never a password. */
  describe(key?: ZoneKey, name?: string): string;
  /** Ends the process's part in it: connections, renewals. */
  close(): Promise<void>;
}

/** A view shows no more of an entry than this: it is read and written often, so it has to stay small. */
export const LONGEST_START_BYTES: number = 2048;

/** But the first line of a state, which says its serial, may be longer than that. */
export const LONGEST_FIRST_LINE_BYTES: number = 64 * 1024;

/** What a view says of lines that pass through. */
export interface Noting {
  readonly lines: AsyncIterable<string>;
  /** Once all of them have passed. */
  noted(): Pick<Entry, "bytes" | "start" | "isWhole">;
}

/** Takes down what a view says of an entry, while its lines are stored. */
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

/** The serial of a state or of a copy of one: its first line says it; 0 if it does not. */
export function serialOf({ start }: Pick<Entry, "start">): number {
  return headerSerial(start[0] ?? "");
}

/** Throws `StoreConflict` unless the entries are as expected. */
export function checkExpected(entries: readonly Entry[], { expect }: Changes): void {
  if (expect && entryOf(entries, expect.name)?.tag !== expect.tag) throw replacedMeanwhile();
}

/** The entries after a change. `made` are those that were put, and the copies of the journal. */
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

/** The highest serial since somebody began the state, given the one before; 0 without a state: the next may have any. */
export function highestSerial(entries: readonly Entry[], before: number): number {
  const state = entryOf(entries, STATE);
  return state ? Math.max(before, serialOf(state)) : 0;
}

/** The serial in the first line of a snapshot, which is never encrypted; 0 if it cannot be read. */
export function headerSerial(line: string): number {
  try {
    const header: unknown = JSON.parse(line);
    const serial = isObject(header) ? header["serial"] : undefined;
    return typeof serial === "number" && Number.isSafeInteger(serial) && serial >= 0 ? serial : 0;
  } catch {
    return 0;
  }
}

/** How long what was replaced stays in a database or a bucket, for those who are reading it. */
export const REPLACED_STAYS_MILLISECONDS: number = 60 * 60_000;

/** Somebody else wrote the state in the meantime, so it is not written over. */
export function replacedMeanwhile(): StoreConflict {
  return new StoreConflict("the state was replaced by another run since it was read");
}
