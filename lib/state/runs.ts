import { defined } from "../core/defined.ts";
import type { ZoneId } from "../core/brand.ts";
import { StateError } from "./error.ts";
import { type Binding, decodeJournal, journalRecords } from "./journal.ts";
import { decodeRun, decodeRunHeader, encodeRun, type RunRecord } from "./run-codec.ts";
import { runChange, type RunChange, type RunHeader } from "./run-record.ts";
import { type RunTally, tallies } from "./run-tally.ts";
import type { Lease, StateStore } from "./store.ts";

/** So many runs can be undone: a record is about as large as the part of the state that its run changed, twice. */
export const KEPT_RUNS = 20;

const PREFIX = "run-";

/**
 * Keeps a record of every run that is in the zone's journal, before a snapshot takes the journal's place; the run that
 * was killed is kept by the one that folds its journal in. Keeping twice is keeping once.
 */
export async function keepRuns(store: StateStore, lease: Lease, zone: ZoneId): Promise<void> {
  const where = store.describe(zone, "journal");
  const counted = tallies();
  const journal = await decodeJournal(store.journal(zone), where, (record) => counted.add(record));
  const runs = counted.close();
  if (!journal || runs.length === 0) return;
  for (const tally of runs) {
    const header = headerOf(tally, journal.binding);
    // The journal is read once more, because what was there before each change need not fit into memory.
    const changes = changesOf(tally, store, zone);
    await store.keep(zone, lease, nameOf(tally.run), encodeRun(header, changes));
  }
  await discardOldest(store, lease, zone);
}

function headerOf({ run, began, ended, effects }: RunTally, binding: Binding): RunHeader {
  const { zone, lineage, baseSerial, operation, planHash, approved, zones } = binding;
  return {
    run,
    zone,
    lineage,
    serial: baseSerial,
    began,
    ended,
    changes: effects.size,
    ...defined({ operation, planHash, approved, zones }),
  };
}

async function* changesOf(tally: RunTally, store: StateStore, zone: ZoneId): AsyncIterable<RunChange> {
  for await (const record of journalRecords(store.journal(zone), store.describe(zone, "journal"))) {
    const effect = tally.effects.get(record.address);
    const change = effect?.seq === record.seq ? runChange(record, effect) : undefined;
    if (change) yield change;
  }
}

/** Any text as the name of a record: what stands in a journal could have come from anywhere. */
function nameOf(run: string): string {
  return `${PREFIX}${run
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, 64)}`;
}

async function discardOldest(store: StateStore, lease: Lease, zone: ZoneId): Promise<void> {
  for (const { run } of (await listRuns(store, zone)).slice(KEPT_RUNS)) await store.discard(zone, lease, nameOf(run));
}

/** What is kept of runs. */
export interface KeptRuns {
  /** The newest first. */
  readonly headers: readonly RunHeader[];
  /** Why the heads of others cannot be read. */
  readonly faults: readonly StateError[];
}

/** Reads the heads of all records that runs left. */
export async function readRuns(store: StateStore, zone: ZoneId): Promise<KeptRuns> {
  const headers: RunHeader[] = [];
  const faults: StateError[] = [];
  for (const name of (await store.names(zone)).filter((each) => each.startsWith(PREFIX))) {
    const header = await headerNamed(store, zone, name);
    if (header instanceof StateError) faults.push(header);
    else if (header) headers.push(header);
  }
  headers.sort((left, right) => compare(right.began, left.began) || right.serial - left.serial);
  return { headers, faults };
}

/** The runs that are kept, the newest first. A record whose head cannot be read is left out; `state doctor` names it. */
export async function listRuns(store: StateStore, zone: ZoneId): Promise<readonly RunHeader[]> {
  return (await readRuns(store, zone)).headers;
}

async function headerNamed(store: StateStore, zone: ZoneId, name: string): Promise<RunHeader | StateError | undefined> {
  try {
    const lines = await store.kept(zone, name);
    return lines && (await decodeRunHeader(lines, name));
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** A run whose changes are in the zone's journal and in no record yet: it was stopped before it ended, or is under way. */
export interface UnfinishedRun {
  readonly run: string;
  /** What it was doing, as far as it is known. */
  readonly operation?: string;
}

/** The unfinished runs of a zone, of which these records are kept. Throws `StateError` for a damaged journal. */
export async function unfinishedRuns(
  store: StateStore,
  zone: ZoneId,
  kept: readonly RunHeader[],
): Promise<readonly UnfinishedRun[]> {
  const counted = tallies();
  const where = store.describe(zone, "journal");
  const journal = await decodeJournal(store.journal(zone), where, (record) => counted.add(record));
  const operation = journal?.binding.operation;
  // A record is written whole before the journal goes: a run that has one wrote nothing after it.
  return counted
    .close()
    .filter(({ run }) => !kept.some((header) => header.run === run))
    .map(({ run }) => ({ run, ...defined({ operation }) }));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Whether a record of the run is kept: one is where the run may have changed something live. */
export async function isRunKept(store: StateStore, zone: ZoneId, run: string): Promise<boolean> {
  return (await store.names(zone)).includes(nameOf(run));
}

/** The record of a run, whole; undefined where none is kept. Throws `StateError` where it is damaged. */
export async function loadRun(store: StateStore, zone: ZoneId, run: string): Promise<RunRecord | undefined> {
  const lines = await store.kept(zone, nameOf(run));
  return lines && (await decodeRun(lines, nameOf(run)));
}
