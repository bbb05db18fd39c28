import { defined } from "../core/json.ts";
import { StateError } from "./error.ts";
import { type Binding, decodeJournal, journalRecords, readJournal } from "./journal.ts";
import {
  decodeRun,
  decodeRunHeader,
  encodeRun,
  runChange,
  type RunChange,
  type RunHeader,
  type RunRecord,
  type RunTally,
  tallies,
} from "./run-record.ts";
import type { ZoneView } from "./zone/view.ts";

/** How many runs to keep for undo. A record is about twice as large as the part of the state that its run changed. */
export const KEPT_RUNS = 20;

const PREFIX = "run-";

/** Reads the lines of a journal, each time from the first. */
export type JournalLines = () => AsyncIterable<string>;

/** How the records of runs change when a snapshot replaces the journal. */
export interface RunRecords {
  /** New records, by name. */
  readonly keep: ReadonlyMap<string, AsyncIterable<string>>;
  /** The names of the records over the limit. */
  readonly discard: readonly string[];
  /** The ids of the runs that are kept. */
  readonly runs: readonly string[];
}

/** No change. */
export const NO_RUNS: RunRecords = { keep: new Map(), discard: [], runs: [] };

/**
 * A record of every run in the zone's journal, for the change that replaces the journal by a snapshot; the record of a
 * killed run is made by the run that folds its journal in. `known` are the journal's lines, if the caller wrote them.
 */
export async function runRecords(view: ZoneView, known?: JournalLines): Promise<RunRecords> {
  if (!known && view.isJournalEmpty) return NO_RUNS;
  const lines = known ?? ((): AsyncIterable<string> => view.journal());
  const where = view.describe("journal");
  const counted = tallies();
  const journal = await decodeJournal(lines(), where, (record) => counted.add(record));
  const tallied = counted.close();
  if (!journal || tallied.length === 0) return NO_RUNS;
  const made = tallied.map((tally) => ({ tally, header: headerOf(tally, journal.binding) }));
  const names = new Set(made.map(({ header }) => nameOf(header.run)));
  const others = (await listRuns(view)).filter(({ run }) => !names.has(nameOf(run)));
  const all = [...others, ...made.map(({ header }) => header)].sort(byAge);
  return {
    // Reads the journal once more, because the pre-images may not fit into memory.
    keep: new Map(
      made.map(({ tally, header }) => [nameOf(tally.run), encodeRun(header, changesOf(tally, lines(), where))]),
    ),
    discard: all.slice(KEPT_RUNS).flatMap(({ run }) => (names.has(nameOf(run)) ? [] : [nameOf(run)])),
    runs: tallied.map(({ run }) => run),
  };
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

async function* changesOf(tally: RunTally, lines: AsyncIterable<string>, where: string): AsyncIterable<RunChange> {
  for await (const record of journalRecords(lines, where)) {
    const effect = tally.effects.get(record.address);
    const change = effect?.seq === record.seq ? runChange(record, effect) : undefined;
    if (change) yield change;
  }
}

/** Turns any text into a valid name of a record, because the text in a journal may come from any source. */
function nameOf(run: string): string {
  return `${PREFIX}${run
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, 64)}`;
}

/** The records of runs. */
export interface KeptRuns {
  /** Newest first. */
  readonly headers: readonly RunHeader[];
  /** Why other headers cannot be read. */
  readonly faults: readonly StateError[];
}

/** Reads the headers of all records of runs. */
export async function readRuns(view: ZoneView): Promise<KeptRuns> {
  const headers: RunHeader[] = [];
  const faults: StateError[] = [];
  for (const name of view.names.filter((each) => each.startsWith(PREFIX))) {
    const header = await headerNamed(view, name);
    if (header instanceof StateError) faults.push(header);
    else if (header) headers.push(header);
  }
  return { headers: headers.sort(byAge), faults };
}

/** The recorded runs, newest first. Skips a record whose header cannot be read; `state doctor` reports it. */
export async function listRuns(view: ZoneView): Promise<readonly RunHeader[]> {
  return (await readRuns(view)).headers;
}

async function headerNamed(view: ZoneView, name: string): Promise<RunHeader | StateError | undefined> {
  try {
    const lines = view.kept(name);
    return lines && (await decodeRunHeader(lines, name));
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** A run with changes in the zone's journal and without a record: it was stopped, or is still running. */
export interface UnfinishedRun {
  readonly run: string;
  /** What it was doing, if known. */
  readonly operation?: string;
}

/** The zone's unfinished runs, given the headers of the recorded ones. Throws `StateError` for a damaged journal. */
export async function unfinishedRuns(view: ZoneView, kept: readonly RunHeader[]): Promise<readonly UnfinishedRun[]> {
  const counted = tallies();
  const journal = await readJournal(view, (record) => counted.add(record));
  const operation = journal?.binding.operation;
  // A record is complete before the journal is removed: a run with a record wrote nothing after it.
  return counted
    .close()
    .filter(({ run }) => !kept.some((header) => header.run === run))
    .map(({ run }) => ({ run, ...defined({ operation }) }));
}

function byAge(left: RunHeader, right: RunHeader): number {
  if (left.began !== right.began) return left.began < right.began ? 1 : -1;
  return right.serial - left.serial;
}

/** The complete record of a run; undefined if there is none. Throws `StateError` if it is damaged. */
export async function loadRun(view: ZoneView, run: string): Promise<RunRecord | undefined> {
  const lines = view.kept(nameOf(run));
  return lines && (await decodeRun(lines, nameOf(run)));
}
