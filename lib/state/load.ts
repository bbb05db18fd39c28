import type { ZoneId } from "../core/brand.ts";
import { defined } from "../core/json.ts";
import type { Random } from "../core/clock.ts";
import { problem, topOf } from "../core/diagnostic.ts";
import { streamed } from "../core/lists.ts";
import { decodeWithDigest, type DigestedState, digestIn, encodeState } from "./codec.ts";
import { newState, type State } from "./state.ts";
import { Outdated, StateError } from "./error.ts";
import { applyTraces, type Binding, type DecodedJournal, readJournal } from "./journal.ts";
import type { JournalRecord } from "./journal-record.ts";
import {
  LAST_WRITE,
  type LastWrite,
  lastWriteLines,
  olderState,
  type PutBack,
  readTrail,
  signsOfNewer,
  type Trail,
} from "./trail.ts";
import { type JournalLines, NO_RUNS, runRecords } from "./runs.ts";
import type { ProjectStore } from "./zone/store.ts";
import type { ZoneView } from "./zone/view.ts";
import type { Lease } from "./lock.ts";

/**
 * How often to read a state that a run replaces meanwhile. A run replaces it when it begins and when it ends, so even
 * two in a row are rare.
 */
const MOST_LOOKS = 5;

/** A state, and the version of its snapshot. */
export interface SavedState {
  readonly state: State;
  /** Pass it to `saveState` to replace exactly this snapshot. */
  readonly version: string;
}

/** A state, as read. */
export interface LoadedState extends SavedState {
  /** An earlier run was stopped and left a journal; the state already includes it. */
  readonly hasJournal: boolean;
  /** How many records that journal had. With the serial, this shows whether the state has changed since. */
  readonly journalRecords?: number;
  /** The unfinished intents of that journal. Their results are unknown, and their writes may still be in progress. */
  readonly intents: readonly JournalRecord[];
  /** The digest of the stored snapshot. */
  readonly sha256: string;
}

/** Options of `loadState`. */
export interface LoadOptions {
  /** Whether to read an older state that a person put back; for a caller that is about to replace it. */
  readonly acceptsOlder?: boolean;
  /** The lock of the zone, for its holder: it need not read again what it knows. */
  readonly lease?: Lease;
  /** The state as this command read it before; returned as it is if nothing has changed since. */
  readonly known?: LoadedState | undefined;
}

/**
 * Reads the state of a zone and applies its journal; undefined if there never was one. Needs no lock and writes
 * nothing. Throws `StateError` for anything that cannot be trusted, including a state that is older than the records
 * beside it.
 */
export async function loadState(
  store: ProjectStore,
  zone: ZoneId,
  options: LoadOptions = {},
): Promise<LoadedState | undefined> {
  for (let look = 1; ; look += 1) {
    try {
      return await loadOnce(store, zone, options);
    } catch (thrown) {
      if (!(thrown instanceof Outdated) || look === MOST_LOOKS) throw thrown;
    }
  }
}

async function loadOnce(
  store: ProjectStore,
  zone: ZoneId,
  { acceptsOlder = false, lease, known }: LoadOptions,
): Promise<LoadedState | undefined> {
  const view = await store.view(zone, lease);
  const trail = acceptsOlder ? undefined : await readTrail(view);
  // Read the journal first: if a run folds it in meanwhile, we read a newer snapshot, never an older one.
  const journal = await readJournal(view);
  if (!view.state) return noState(view, journal);
  const { version, lines } = view.state;
  const isKnown = known?.version === version && !known.hasJournal;
  const digested: DigestedState = isKnown ? known : await decodeWithDigest(lines, view.describe(), zone);
  const { state, sha256 } = digested;
  const folded = journal ? withJournal(state, journal, view.describe()) : state;
  if (trail) await refuseOlder(view, trail, digested, journal);
  const found = { version, sha256, hasJournal: journal !== undefined };
  if (!journal) return { ...found, state, intents: [] };
  return { ...found, state: folded, journalRecords: journal.seq, intents: unfinishedIntents(state, journal) };
}

/** Skips a journal that the snapshot already contains. */
function unfinishedIntents({ serial }: State, { binding, traces }: DecodedJournal): readonly JournalRecord[] {
  return binding.baseSerial < serial ? [] : [...traces.values()].flatMap(({ unfinished }) => unfinished ?? []);
}

async function refuseOlder(
  view: ZoneView,
  trail: Trail,
  digested: DigestedState,
  journal: DecodedJournal | undefined,
): Promise<void> {
  const signs = await signsOfNewer(view, trail, { ...digested, journal: journal?.binding });
  if (signs.length > 0) throw olderState(view.describe(), digested.state, trail, signs);
}

/** No write leaves a journal or an earlier copy without a snapshot, so the snapshot was lost: the zone is not new. */
function noState(view: ZoneView, journal: DecodedJournal | undefined): undefined {
  const [newest] = view.backups;
  if (!journal && newest === undefined) return undefined;
  const left = journal
    ? "the journal of an interrupted run is there"
    : `there are copies of it (the newest has serial ${newest})`;
  throw new StateError(problem("state-missing", { left }, { at: topOf(view.describe()) }));
}

function withJournal(state: State, { binding, traces }: DecodedJournal, where: string): State {
  checkBelongs(state, binding, where);
  // A crash came between replacing the snapshot and removing the journal: the snapshot already contains the journal.
  return binding.baseSerial < state.serial ? state : applyTraces(state, traces);
}

function checkBelongs(state: State, binding: Binding, where: string): void {
  const { lineage, serial, zone } = state;
  const at = topOf(where);
  if (binding.lineage !== lineage || binding.zone !== zone.id)
    throw new StateError(problem("journal-of-another-state", { other: binding.lineage, lineage }, { at }));
  if (binding.baseSerial > serial)
    throw new StateError(problem("state-older-than-journal", { serial, base: binding.baseSerial }, { at }));
}

/** A zone whose state a run writes under its lock. */
export interface LockedZone {
  readonly store: ProjectStore;
  readonly lease: Lease;
  readonly zone: { readonly id: ZoneId; readonly name: string };
  readonly random: Random;
}

/**
 * The state that a run starts from, with an empty journal: the stored one, or a new one if there is none. Needs the
 * lock. Throws `StateError`, `StoreConflict`.
 */
export async function beginState(
  store: ProjectStore,
  lease: Lease,
  zone: { readonly id: ZoneId; readonly name: string },
  random: Random,
): Promise<SavedState> {
  return beginWith(await loadState(store, zone.id, { lease }), { store, lease, zone, random });
}

/** The same, with what the run found under the lock. */
export async function beginWith(
  found: LoadedState | undefined,
  { store, lease, zone, random }: LockedZone,
): Promise<SavedState> {
  if (found && !found.hasJournal) return found;
  // A new state is written at once: its lineage and key must be durable before a journal depends on them.
  const options = found ? {} : { journal: () => streamed([]) };
  return saveState(store, lease, found?.version, found?.state ?? newState(zone, random), options);
}

/** Options of `saveState`. */
export interface SaveOptions {
  /** The state is older than the previous one, on purpose. */
  readonly putBack?: PutBack;
  /** Further records to keep with it. */
  readonly records?: ReadonlyMap<string, AsyncIterable<string>>;
  /** The lines of the journal, if the caller wrote them; otherwise they are read. */
  readonly journal?: JournalLines | undefined;
  /**
   * Set if the journal could not be flushed, so that no record of its runs is kept. Files do not change at one moment:
   * a power cut could lose the journal before the state is written, and a record without either would make the state
   * look older than it is.
   */
  readonly isJournalInDoubt?: boolean;
}

/** A stored state, and the runs whose records were stored with it. */
export interface StoredRuns extends SavedState {
  readonly runs: readonly string[];
}

/**
 * Stores the state under the next serial in place of the expected version (undefined: there must be none), and returns
 * what was stored. Stored with it are a record of each run in the journal, so that the run can be undone, and a record
 * that identifies this state, so that an older one in its place is noticed. The journal is empty afterwards. Throws
 * `StateError`, `StoreConflict`.
 */
export async function saveState(
  store: ProjectStore,
  lease: Lease,
  expected: string | undefined,
  state: State,
  { putBack, records = new Map(), journal, isJournalInDoubt = false }: SaveOptions = {},
): Promise<StoredRuns> {
  const next = { ...state, serial: state.serial + 1 };
  const { zone, lineage, serial } = next;
  const runs = isJournalInDoubt ? NO_RUNS : await runRecords(await store.view(zone.id, lease), journal);
  let footer = "";
  const lines = streamed(tapped(encodeState(next), (line) => (footer = line)));
  const written = (): LastWrite => ({ lineage, serial, sha256: digestIn(footer), ...defined({ putBack }) });
  const version = await store.write(zone.id, lease, expected, lines, {
    before: runs.keep,
    after: new Map([...records, [LAST_WRITE, lastWriteLines(written)]]),
    discard: runs.discard,
  });
  return { state: next, version, runs: runs.runs };
}

function* tapped(lines: Iterable<string>, tap: (line: string) => void): Iterable<string> {
  for (const line of lines) {
    tap(line);
    yield line;
  }
}
