import { parseObject } from "../core/json.ts";
import { problem, topOf } from "../core/diagnostic.ts";
import type { DigestedState } from "./codec.ts";
import { isOfThePlace, refuseNewer, StateError } from "./error.ts";
import type { Binding } from "./journal.ts";
import type { RunHeader } from "./run-record.ts";
import { listRuns, loadRun } from "./runs.ts";
import type { ZoneView } from "./zone/view.ts";
import type { Taken } from "./lock.ts";
import { type Codec, named, optionalStruct, struct } from "../core/codec.ts";
import { DecodeError, text, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { collected } from "../core/lists.ts";
import { shellQuoted } from "../core/quote.ts";
import type { State } from "./state.ts";

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
 * mentions is durable. So a state that is read later never looks too old, even if another run writes meanwhile.
 */
export async function readTrail(view: ZoneView): Promise<Trail> {
  return {
    lastWrite: await readable(() => lastWrite(view)),
    taken: view.taken,
    copies: view.backups,
    runs: await listRuns(view),
  };
}

/**
 * A record that cannot be read counts as absent, because `state doctor` reports it. A place that cannot be read at all
 * is an error.
 */
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

/** The evidence of a newer state than this one, in words; empty if there is none. */
export async function signsOfNewer(
  view: ZoneView,
  { copies, runs, lastWrite: last, taken }: Trail,
  { state, sha256, journal }: Judged,
): Promise<readonly string[]> {
  const { serial, lineage } = state;
  const copy = Math.max(0, ...copies);
  const isLast = last?.lineage === lineage;
  // A run's record is written before the state that the run leads to. If this state is the one written last, a crash
  // prevented the next one, and the journal may be lost too.
  const isNewest = isLast && last.serial === serial && last.sha256 === sha256;
  const later = isNewest ? [] : runs.filter((run) => run.lineage === lineage && run.serial >= serial);
  const [run] = await whole(
    view,
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

/** A run that crashed before it replaced the state already has a record, and its journal is still there. */
function isInJournal({ serial }: RunHeader, journal: Binding | undefined): boolean {
  return journal?.baseSerial === serial;
}

/** An incomplete record is no evidence: a digit of its serial may be damaged. */
async function whole(view: ZoneView, runs: readonly RunHeader[]): Promise<readonly RunHeader[]> {
  for (const run of runs) if (await readable(() => loadRun(view, run.run))) return [run];
  return [];
}

function nameOf({ run, operation, ended }: RunHeader): string {
  return `run ${run} (${operation === undefined ? "" : `${operation}, `}ended ${ended})`;
}

function holderOf({ holder: { who, operation, since } }: Taken): string {
  return `the last one to hold the lock (${who}, ${operation}, ${since})`;
}

const VERSION = 1;

/** The record beside a state that says which state was written last. */
export const LAST_WRITE = "last-write";

/** A person made an older state the newest one on purpose. */
export interface PutBack {
  /** The command that did it. */
  readonly by: string;
  /** The serial that the state had before. */
  readonly serial: number;
}

/** Identifies the state that was written last. */
export interface LastWrite {
  readonly lineage: string;
  readonly serial: number;
  /** The digest of the content, so that it is the same for an encrypted state. */
  readonly sha256: string;
  readonly putBack?: PutBack;
}

const WRITTEN: Codec<LastWrite> = struct<LastWrite>(
  {
    lineage: text,
    serial: wholeNumber,
    sha256: text,
    putBack: named("put_back", optionalStruct(struct<PutBack>({ by: text, serial: wholeNumber }))),
  },
  { format: "zoneform-last-write", version: VERSION },
);

/**
 * The lines of the record: one line, and its checksum. `written` is called after the lines of the state have passed,
 * because only they give its digest.
 */
export async function* lastWriteLines(written: () => LastWrite): AsyncIterable<string> {
  const line = JSON.stringify(WRITTEN.encode(written()));
  yield line;
  yield checksum(line);
}

/** The state that was written last; undefined without a record. Throws `StateError` if the record cannot be read. */
export async function lastWrite(view: ZoneView): Promise<LastWrite | undefined> {
  const lines = view.kept(LAST_WRITE);
  if (!lines) return undefined;
  const [line = "", sum, ...more] = await collected(lines);
  const value = (sum === checksum(line) && more.length === 0 ? parseObject(line) : undefined) ?? {};
  const where = view.describe();
  refuseNewer(value, VERSION, `the ${LAST_WRITE} beside ${where}`);
  try {
    return WRITTEN.decode(value);
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause;
    throw new StateError(problem("last-write-damaged", { where }), { cause });
  }
}

/** The code for a state that is older than the records next to it. */
export const OLDER_STATE = "older-state";

/** Whether a state is refused because it is older than the records next to it. */
export function isOlderState({ diagnostic }: StateError): boolean {
  return diagnostic.code === OLDER_STATE;
}

/** Explains that an older state was put back: its serial, the evidence of a newer one, and the remedies. */
export function olderState(where: string, state: State, trail: Trail, signs: readonly string[]): StateError {
  const { serial, lineage, zone } = state;
  const newest = newestSerial(trail, lineage);
  const there = newest > serial ? `serial ${newest} was there` : "another state with this serial was there";
  const hasNewerCopy = Math.max(0, ...trail.copies) > serial;
  const values = { serial, newer: there, signs: signs.join("; ") };
  const remedy = hasNewerCopy
    ? "nothing was changed; restore the newest copy, or keep this state on purpose"
    : "nothing was changed; restore the newest state if you have it elsewhere, or keep this one on purpose";
  const commands = [...(hasNewerCopy ? [fromBackup(zone.name)] : []), keepIt(where, zone.name)];
  return new StateError(problem(OLDER_STATE, values, { remedy, commands, at: topOf(where) }));
}

function fromBackup(zone: string): string {
  return `zoneform state repair --zone ${shellQuoted(zone)}`;
}

/** The command that keeps an older state on purpose. */
export function keepIt(where: string, zone: string): string {
  return `zoneform state push --older ${shellQuoted(where)} --zone ${shellQuoted(zone)}`;
}
