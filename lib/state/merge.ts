import { error, Refusal } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import { canonical } from "../core/json.ts";
import { type DecodedJournal, decodeJournal, encodeRecord } from "./journal.ts";
import { type LoadedState, loadState, type SavedState, saveState } from "./load.ts";
import type { LostResults } from "./lost-results.ts";
import { OBJECT } from "./object.ts";
import type { JournalRecord } from "./record.ts";
import { note, type Traces } from "./replay.ts";
import type { State } from "./state.ts";
import type { Lease, StateStore } from "./store.ts";

/** What merging lost results would do. */
export interface Merge {
  /** The results that the stored journal still lacks. */
  readonly missing: readonly JournalRecord[];
  /** How many the state has already. */
  readonly known: number;
  /** Whether another run has finished these changes: then nothing is left to merge. */
  readonly isFinished: boolean;
}

/** The states of a project. */
export interface MergeTarget {
  readonly project: string;
  readonly store: StateStore;
}

interface Stored {
  readonly loaded: LoadedState;
  readonly journal: DecodedJournal | undefined;
}

/**
 * Compares lost results with what is stored. Each must continue an unfinished intent of the same run, or be known
 * already, unless another run has finished all of them. Throws `Refusal` with exit code 4 for anything else, `StateError` if the state cannot be read.
 */
export async function judgeLost(target: MergeTarget, lost: LostResults): Promise<Merge> {
  return judge(await readStored(target, lost), lost);
}

/**
 * Adds lost results to the journal, and saves the state. If it is interrupted, calling it again completes it; doing it
 * twice is doing it once. Needs the lock. Throws as `judgeLost` does.
 */
export async function mergeLost(
  target: MergeTarget,
  lease: Lease,
  lost: LostResults,
): Promise<Merge & { readonly saved: SavedState }> {
  const { store } = target;
  const zone = lost.zone.id;
  const stored = await readStored(target, lost);
  const merge = judge(stored, lost);
  const { journal } = stored;
  if (journal && merge.missing.length > 0) await store.append(zone, lease, linesAfter(journal, merge.missing));
  const loaded = (await loadState(store, zone)) ?? stored.loaded;
  return { ...merge, saved: loaded.hasJournal ? await saveState(store, lease, loaded.version, loaded.state) : loaded };
}

async function readStored({ project, store }: MergeTarget, lost: LostResults): Promise<Stored> {
  const { zone, lineage } = lost;
  if (lost.project !== project) throw refused(`it belongs to project ${lost.project}, and this is ${project}`);
  const journal = await decodeJournal(store.journal(zone.id), store.describe(zone.id, "journal"));
  const loaded = await loadState(store, zone.id);
  if (!loaded) throw refused(`there is no state of ${zone.name} in ${store.describe(zone.id)}`);
  if (loaded.state.lineage !== lineage)
    throw refused(
      `it belongs to another state of ${zone.name} (lineage ${lineage}, the stored one has ${loaded.state.lineage})`,
    );
  return { loaded, journal };
}

function judge({ loaded: { state, hasJournal }, journal }: Stored, lost: LostResults): Merge {
  const isSameJournal = hasJournal && journal?.binding.baseSerial === lost.baseSerial;
  const traces: Traces = new Map(isSameJournal ? journal.traces : []);
  const missing: JournalRecord[] = [];
  let known = 0;
  for (const record of lost.records) {
    if (continuesIntent(traces, record, lost.run)) {
      note(traces, record);
      missing.push(record);
    } else if (isKnown(state, traces, record)) known += 1;
    else if (hasOpen(state, traces, lost.run))
      throw refused(
        `${record.address} continues no unfinished change of run ${lost.run}: another run has continued since`,
      );
    else return { missing: [], known, isFinished: true };
  }
  return { missing, known, isFinished: false };
}

/** Whether a change of the run has no result yet. */
function hasOpen({ objects }: State, traces: Traces, run: string): boolean {
  const isOpen = [...traces.values()].some(({ open }) => open?.run === run);
  return (
    isOpen || [...objects.values()].some(({ unanswered, pending }) => unanswered?.run === run || pending !== undefined)
  );
}

function continuesIntent(traces: Traces, { address, kind, run, seq }: JournalRecord, wanted: string): boolean {
  const open = traces.get(address)?.open;
  return kind !== "intent" && run === wanted && open?.run === run && open.seq < seq;
}

/** Whether the state says what it would say after this record. */
function isKnown({ objects }: State, traces: Traces, record: JournalRecord): boolean {
  const { action, address, kind, object, run } = record;
  const found = objects.get(address);
  if (traces.get(address)?.open?.run === run || kind === "intent") return false;
  if (kind === "failed") return found?.unanswered?.run !== run && found?.pending === undefined;
  if (kind === "gone" || action === "delete" || action === "forget") return found === undefined;
  return found !== undefined && object !== undefined && isSame(found, object);
}

function isSame(left: Parameters<typeof OBJECT.encode>[0], right: Parameters<typeof OBJECT.encode>[0]): boolean {
  return canonical(OBJECT.encode(left)) === canonical(OBJECT.encode(right));
}

function linesAfter(journal: DecodedJournal, records: readonly JournalRecord[]): readonly string[] {
  let { crc, seq } = journal;
  return records.map((record) => {
    seq += 1;
    const chained = encodeRecord(crc, { ...record, seq });
    crc = chained.crc;
    return chained.line;
  });
}

function refused(why: string): Refusal {
  const remedy = "apply again: the next run finds out what happened, without the file; then delete the file";
  return new Refusal(
    [error({ code: "lost-results-refused", message: `the file is not merged: ${why}`, remedy })],
    EXIT.refused,
  );
}
