import type { ZoneId } from "../core/brand.ts";
import type { Random } from "../core/clock.ts";
import type { DiagnosticDetails } from "../core/diagnostic.ts";
import { streamed } from "../core/streams.ts";
import { decodeWithDigest, digestIn, type DigestedState, encodeState } from "./codec.ts";
import { newState } from "./edit.ts";
import { Outdated, StateError } from "./error.ts";
import { type Binding, type DecodedJournal, decodeJournal } from "./journal.ts";
import { keepLastWrite, type PutBack } from "./last-write.ts";
import { olderState } from "./older.ts";
import type { JournalRecord } from "./record.ts";
import { LOST, MISSING, TOGETHER } from "./remedy.ts";
import { applyTraces } from "./replay.ts";
import { keepRuns } from "./runs.ts";
import type { State } from "./state.ts";
import { unlessRefused } from "./unless-refused.ts";
import { atOnce, type Lease, type StateReader, type StateStore } from "./store.ts";
import { readTrail, signsOfNewer, type Trail } from "./trail.ts";

/** A run replaces the state when it begins and when it ends, so a reader is seldom outrun even twice. */
const MOST_LOOKS = 5;

/** A state with the version under which its snapshot is stored. */
export interface SavedState {
  readonly state: State;
  /** Pass it to `saveState` to replace exactly this snapshot. */
  readonly version: string;
}

/** A state as it was read. */
export interface LoadedState extends SavedState {
  /** An earlier run was stopped and left a journal; the state already includes it. */
  readonly hasJournal: boolean;
  /**
   * How many records that journal had: together with the serial this tells whether the state is still the one that was
   * read.
   */
  readonly journalRecords?: number;
  /** The unfinished intents of that journal: nobody knows their result, and their writes may still be in progress. */
  readonly open: readonly JournalRecord[];
}

/** Options of `loadState`. */
export interface LoadOptions {
  /** Whether to read an older state that somebody put back: for a caller that is about to replace it. */
  readonly acceptsOlder?: boolean;
}

/**
 * Reads the state of a zone and applies its journal; undefined if there never was one. Needs no lock and writes
 * nothing. Throws `StateError` for anything that cannot be trusted, also for a state that is older than what lies
 * beside it.
 */
export async function loadState(
  from: StateReader,
  zone: ZoneId,
  options: LoadOptions = {},
): Promise<LoadedState | undefined> {
  for (let look = 1; ; look += 1) {
    try {
      return await loadOnce(from, zone, options);
    } catch (thrown) {
      if (!(thrown instanceof Outdated) || look === MOST_LOOKS) throw thrown;
    }
  }
}

async function loadOnce(
  from: StateReader,
  zone: ZoneId,
  { acceptsOlder = false }: LoadOptions,
): Promise<LoadedState | undefined> {
  const store = await atOnce(from, zone);
  const where = store.describe(zone);
  const trail = acceptsOlder ? undefined : await readTrail(store, zone);
  // Read the journal first: if a run folds it in meanwhile, the snapshot is newer than what we read, never older.
  const journal = await decodeJournal(store.journal(zone), store.describe(zone, "journal"));
  const stored = await store.read(zone);
  if (!stored) return noState(store, zone, journal);
  const digested = await decodeWithDigest(stored.lines, where, zone);
  const { state } = digested;
  const { version } = stored;
  const folded = journal ? withJournal(state, journal, where) : state;
  if (trail) await refuseOlder(store, zone, trail, digested, journal);
  if (!journal) return { state, version, hasJournal: false, open: [] };
  return { state: folded, version, hasJournal: true, journalRecords: journal.seq, open: openIntents(state, journal) };
}

/** Skips a journal that the snapshot already contains. */
function openIntents({ serial }: State, { binding, traces }: DecodedJournal): readonly JournalRecord[] {
  return binding.baseSerial < serial ? [] : [...traces.values()].flatMap(({ open }) => open ?? []);
}

async function refuseOlder(
  store: StateReader,
  zone: ZoneId,
  trail: Trail,
  digested: DigestedState,
  journal: DecodedJournal | undefined,
): Promise<void> {
  const signs = await signsOfNewer(store, zone, trail, { ...digested, journal: journal?.binding });
  if (signs.length > 0) throw olderState(store.describe(zone), digested.state, trail, signs);
}

/** No write leaves a journal or an earlier copy without a snapshot: so the snapshot was lost, and the zone is not new. */
async function noState(
  store: StateReader,
  zone: ZoneId,
  journal: DecodedJournal | undefined,
): Promise<LoadedState | undefined> {
  const where = store.describe(zone);
  const code = "state-missing";
  if (journal) {
    const message = "the state is missing, but the journal of an interrupted run is there";
    throw mismatch(where, { code, message, remedy: MISSING });
  }
  const [newest] = await store.backups(zone);
  if (newest === undefined) return undefined;
  // A run may have made the first two states since we looked: then there is one now.
  if (await store.read(zone)) return loadState(store, zone);
  const message = `the state is missing, but there are copies of it (the newest has serial ${newest})`;
  throw mismatch(where, { code, message, remedy: LOST });
}

function withJournal(state: State, { binding, traces }: DecodedJournal, where: string): State {
  checkBelongs(state, binding, where);
  // A crash after the snapshot was replaced and before the journal was removed: the snapshot already contains it.
  return binding.baseSerial < state.serial ? state : applyTraces(state, traces);
}

function checkBelongs(state: State, binding: Binding, where: string): void {
  const remedy = TOGETHER;
  if (binding.lineage !== state.lineage || binding.zone !== state.zone.id) {
    const message = `the journal belongs to another state (lineage ${binding.lineage}, the state has ${state.lineage})`;
    throw mismatch(where, { code: "journal-of-another-state", message, remedy });
  }
  if (binding.baseSerial > state.serial) {
    const message = `the state is older than its journal (serial ${state.serial}, the journal continues serial ${binding.baseSerial})`;
    throw mismatch(where, { code: "state-older-than-journal", message, remedy });
  }
}

function mismatch(where: string, details: DiagnosticDetails): StateError {
  return new StateError({ ...details, at: { file: where, line: 1, column: 1 } });
}

/**
 * The state that a run starts writing from: the stored one, or a new one if there is none, with an empty journal. Needs
 * the lock. Throws `StateError`, `StoreConflict`.
 */
export async function beginState(
  store: StateStore,
  lease: Lease,
  zone: { readonly id: ZoneId; readonly name: string },
  random: Random,
): Promise<SavedState> {
  const loaded = await loadState(store, zone.id);
  if (loaded && !loaded.hasJournal) return loaded;
  // A new state is written at once, because its lineage and its key must be on the disk before a journal depends on
  // them.
  return saveState(store, lease, loaded?.version, loaded?.state ?? newState(zone, random));
}

/** Options of `saveState`. */
export interface SaveOptions {
  /** The state is older than the one before, on purpose. */
  readonly putBack?: PutBack;
  /**
   * The journal could not be flushed, so no record of its runs is kept. A power cut could lose the journal before the
   * state is written, and a record without either would make the state look older than it is.
   */
  readonly isJournalInDoubt?: boolean;
}

/**
 * Stores the state under the next serial in place of the expected version (undefined: there must be none), and returns
 * what was stored. The journal is empty afterwards; each of its runs gets a record, so that it can be undone. Another
 * record says which state this is, so that an older one in its place is noticed. Throws `StateError`, `StoreConflict`.
 */
export async function saveState(
  store: StateStore,
  lease: Lease,
  expected: string | undefined,
  state: State,
  { putBack, isJournalInDoubt = false }: SaveOptions = {},
): Promise<SavedState> {
  const next = { ...state, serial: state.serial + 1 };
  const { zone, lineage, serial } = next;
  if (!isJournalInDoubt) await keepRuns(store, lease, zone.id);
  let footer = "";
  const version = await store.write(
    zone.id,
    lease,
    expected,
    streamed(tapped(encodeState(next), (line) => (footer = line))),
  );
  // After the state, never before: a crash in between leaves a record of an earlier state, and that makes no state look
  // older than it is.
  // The state is already stored; a missing record must not make the save look failed.
  await unlessRefused(
    keepLastWrite(store, lease, zone.id, {
      lineage,
      serial,
      sha256: digestIn(footer),
      ...(putBack ? { putBack } : {}),
    }),
  );
  return { state: next, version };
}

function* tapped(lines: Iterable<string>, tap: (line: string) => void): Iterable<string> {
  for (const line of lines) {
    tap(line);
    yield line;
  }
}
