import type { ZoneId } from "../core/brand.ts";
import type { DigestedState } from "./codec.ts";
import { isOfThePlace, StateError } from "./error.ts";
import type { Binding } from "./journal.ts";
import { type LastWrite, lastWrite } from "./last-write.ts";
import type { RunHeader } from "./run-record.ts";
import { listRuns, loadRun } from "./runs.ts";
import type { StateReader, Taken } from "./store.ts";

/** The records next to a state that show how new the newest one was. */
export interface Trail {
  /** The serials of the earlier copies. */
  readonly copies: readonly number[];
  readonly runs: readonly RunHeader[];
  readonly lastWrite: LastWrite | undefined;
  readonly taken: Taken | undefined;
}

/**
 * Reads the records next to a state. Read them before the state: each one is written only after the state that it
 * mentions is durable, so a state that is read later never looks too old, even if another run writes meanwhile.
 */
export async function readTrail(store: StateReader, zone: ZoneId): Promise<Trail> {
  return {
    lastWrite: await readable(() => lastWrite(store, zone)),
    taken: await store.taken(zone),
    copies: await store.backups(zone),
    runs: await listRuns(store, zone),
  };
}

/** What cannot be read counts as absent, because `state doctor` reports it; but not where nothing can be read there. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (isOfThePlace(thrown)) throw thrown;
    if (thrown instanceof StateError) return undefined;
    throw thrown;
  }
}

/** The highest serial that the trail mentions; 0 if it mentions none. */
export function newestSerial({ copies, runs, lastWrite: last, taken }: Trail, lineage: string): number {
  const ended = runs.filter((run) => run.lineage === lineage).map(({ serial }) => serial + 1);
  const written = last?.lineage === lineage ? last.serial : 0;
  return Math.max(0, ...copies, ...ended, written, taken?.serial ?? 0);
}

/** A state to compare with the trail, and the first line of the journal beside it. */
export interface Judged extends DigestedState {
  readonly journal: Binding | undefined;
}

/** What shows that there was a newer state than this one, in words; empty if nothing does. */
export async function signsOfNewer(
  store: StateReader,
  zone: ZoneId,
  { copies, runs, lastWrite: last, taken }: Trail,
  { state, sha256, journal }: Judged,
): Promise<readonly string[]> {
  const { serial, lineage } = state;
  const copy = Math.max(0, ...copies);
  const isLast = last?.lineage === lineage;
  // A run's record is written before the state that the run leads to. If this state is the one that was written last, a
  // crash prevented the next one, and the journal may be lost too.
  const isNewest = isLast && last.serial === serial && last.sha256 === sha256;
  const later = isNewest ? [] : runs.filter((run) => run.lineage === lineage && run.serial >= serial);
  const [run] = await whole(
    store,
    zone,
    later.filter((each) => !isInJournal(each, journal)),
  );
  return [
    ...(isLast && last.serial > serial ? [`serial ${last.serial} was written last`] : []),
    ...(isLast && last.serial === serial && last.sha256 !== sha256
      ? [`serial ${serial} was written with other content`]
      : []),
    ...(copy > serial ? [`an earlier copy has serial ${copy}`] : []),
    ...(run ? [`${nameOf(run)} continued from serial ${run.serial}`] : []),
    ...(taken && taken.serial > serial ? [`${holderOf(taken)} found serial ${taken.serial} or a later one`] : []),
  ];
}

/** A run that crashed before it replaced the state has a record already, and its journal is still there. */
function isInJournal({ serial }: RunHeader, journal: Binding | undefined): boolean {
  return journal?.baseSerial === serial;
}

/** An incomplete record is no evidence: a digit of its serial may be damaged. */
async function whole(store: StateReader, zone: ZoneId, runs: readonly RunHeader[]): Promise<readonly RunHeader[]> {
  for (const run of runs) if (await readable(() => loadRun(store, zone, run.run))) return [run];
  return [];
}

function nameOf({ run, operation, ended }: RunHeader): string {
  return `run ${run} (${operation === undefined ? "" : `${operation}, `}ended ${ended})`;
}

function holderOf({ holder: { who, operation, since } }: Taken): string {
  return `the last one to hold the lock (${who}, ${operation}, ${since})`;
}
