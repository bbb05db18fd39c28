import type { ZoneId } from "../../core/brand.ts";
import { error, Refusal } from "../../core/diagnostic.ts";
import { decodeState } from "../codec.ts";
import { checkDamaged, withoutIt, withRemedy } from "./damage.ts";
import { StateError } from "../error.ts";
import { type DecodedJournal, decodeJournal } from "../journal.ts";
import { loadState, saveState } from "../load.ts";
import type { PutBack } from "../last-write.ts";
import type { Upkeep } from "../upkeep.ts";
import { condenseObservations, readObservations } from "../observations.ts";
import { isOlderState, keepIt } from "../older.ts";
import { findLoss, newestWhole, serialIn } from "./restore.ts";
import { applyTraces, note, type Traces } from "../replay.ts";
import { journalOf, salvage } from "./salvage.ts";
import type { State } from "../state.ts";
import type { Lease, StateStore } from "../store.ts";
import { newestSerial, readTrail } from "../trail.ts";

/** A step of a repair: a description in sentences, and a function that does it and returns under which names damaged files are kept. */
export interface RepairStep {
  readonly says: readonly string[];
  carryOut(lease: Lease): Promise<readonly string[]>;
}

/** Options of a repair. */
export interface RepairOptions {
  /** Whether the newest undamaged copy may replace a damaged snapshot. */
  readonly isFromBackup: boolean;
}

type Store = StateStore & Upkeep;

const KEPT = "a copy of what is damaged is kept";

/** How many line numbers to list; more would not help. */
const NAMED_LINES = 10;

/**
 * The next fault of a zone's state that can be repaired; undefined if there is none. After the step was done, call it
 * again. Throws `StateError` for what cannot be repaired, `Refusal` for what needs the user's consent.
 */
export async function nextRepair(store: Store, zone: ZoneId, options: RepairOptions): Promise<RepairStep | undefined> {
  const ofJournal = await findFault(() => decodeJournal(store.journal(zone), store.describe(zone, "journal")));
  if (ofJournal) {
    await checkDamaged(store, zone, "journal", ofJournal);
    return journalStep(store, zone);
  }
  const fault = await findFault(() => loadState(store, zone));
  if (!fault) return observationsStep(store, zone);
  const { code } = fault.diagnostic;
  if (code === "journal-of-another-state") return strangeJournal(store, zone);
  if (code === "state-older-than-journal") return rebound(store, zone);
  if (isOlderState(fault)) return overOlder(store, zone, options, fault);
  if (code !== "state-missing") await checkDamaged(store, zone, "state", fault);
  if (options.isFromBackup) return fromBackup(store, zone);
  throw await needsBackup(store, zone, fault);
}

/** Nothing depends on a line that cannot be read, so no copy of it is kept. */
async function observationsStep(store: Store, zone: ZoneId): Promise<RepairStep | undefined> {
  const { lines, unreadable } = await readObservations(store, zone);
  if (unreadable === 0) return undefined;
  return {
    says: [
      `the record of hostnames: ${unreadable} of ${lines} lines cannot be read and are removed; nothing else is lost`,
    ],
    carryOut: async () => {
      await condenseObservations(store, zone);
      return [];
    },
  };
}

async function findFault(read: () => Promise<unknown>): Promise<StateError | undefined> {
  try {
    await read();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StateError) return thrown;
    throw thrown;
  }
}

async function journalStep(store: Store, zone: ZoneId): Promise<RepairStep> {
  const { binding, records, lost, doubted } = await salvage(store.looseLines(zone, "journal"));
  const stored = binding ? undefined : await stateBeside(store, zone);
  const belongs = binding ?? (stored && { zone, lineage: stored.lineage, baseSerial: stored.serial });
  if (!belongs) {
    const message =
      "the first line of the journal is damaged and there is no intact state, so it is not known which state it belongs to";
    const remedy = `${withoutIt(store, zone, "journal")}; then restore the state: zoneform state repair --from backup`;
    throw new Refusal([error({ code: "journal-without-state", message, remedy })]);
  }
  const traces: Traces = new Map();
  for (const record of records) note(traces, record);
  const open = [...traces.values()].filter((trace) => trace.open).length;
  return {
    says: [
      `the journal: ${records.length} ${records.length === 1 ? "record is" : "records are"} kept, ${open} of them unfinished changes`,
      saysLost(lost),
      ...(doubted.length === 0 ? [] : [saysDoubted(doubted)]),
      ...(binding ? [] : ["its first line is damaged; it is assumed to belong to the state next to it"]),
      KEPT,
    ],
    carryOut: async (lease) => {
      const kept = await store.setAside(zone, lease, "journal");
      await store.rewriteJournal(zone, lease, journalOf(belongs, records));
      return [kept];
    },
  };
}

/** A doubtful intent costs at most a lookup, and without it an object could be lost: so it is kept and reported. */
function saysDoubted(lines: readonly number[]): string {
  const [which, its] = lines.length === 1 ? ["line", "its"] : ["lines", "their"];
  return `${which} ${numbersOf(lines)} ${lines.length === 1 ? "does" : "do"} not match ${its} checksum; the unfinished change is kept, and the next run looks the object up`;
}

function numbersOf(lines: readonly number[]): string {
  return `${lines.slice(0, NAMED_LINES).join(", ")}${lines.length > NAMED_LINES ? ", …" : ""}`;
}

function saysLost(lost: readonly number[]): string {
  if (lost.length === 0) return "no line is removed; a duplicate line is kept once";
  const numbers = numbersOf(lost);
  const lines =
    lost.length === 1
      ? `1 damaged line is removed (line ${numbers})`
      : `${lost.length} damaged lines are removed (lines ${numbers})`;
  return `${lines}; an object that it created is found again by its name`;
}

async function stateBeside(store: Store, zone: ZoneId): Promise<State | undefined> {
  const stored = await store.read(zone);
  try {
    return stored && (await decodeState(stored.lines, store.describe(zone), zone));
  } catch (thrown) {
    if (thrown instanceof StateError) return undefined;
    throw thrown;
  }
}

async function strangeJournal(store: Store, zone: ZoneId): Promise<RepairStep> {
  const { records } = await salvage(store.looseLines(zone, "journal"));
  return {
    says: [
      `the journal belongs to another state: its ${records.length} records are not used, and it is moved away`,
      KEPT,
    ],
    carryOut: async (lease) => {
      const kept = await store.setAside(zone, lease, "journal");
      await store.rewriteJournal(zone, lease, nothing());
      return [kept];
    },
  };
}

async function rebound(store: Store, zone: ZoneId): Promise<RepairStep> {
  const { binding, records } = await salvage(store.looseLines(zone, "journal"));
  const found = await store.read(zone);
  const stored = found && (await stateBeside(store, zone));
  if (!binding || !stored) throw new TypeError("a journal that was compared with its state has a first line");
  const traces: Traces = new Map();
  for (const record of records) note(traces, record);
  return {
    says: [
      `the state has serial ${stored.serial}, and its journal continues serial ${binding.baseSerial}: the ${records.length} records are applied on top of it`,
      "changes between the two serials are lost; the next plan compares with live",
      KEPT,
    ],
    carryOut: async (lease) => {
      const serial = Math.max(binding.baseSerial, newestSerial(await readTrail(store, zone), stored.lineage));
      const kept = await store.setAside(zone, lease, "journal");
      await saveState(store, lease, found.version, applyTraces({ ...stored, serial }, traces), {
        putBack: putBackFrom(stored),
      });
      return [kept];
    },
  };
}

/** Replaces an older state that somebody put back by the newest copy, if that is newer. */
async function overOlder(
  store: Store,
  zone: ZoneId,
  { isFromBackup }: RepairOptions,
  fault: StateError,
): Promise<RepairStep> {
  const stored = await stateBeside(store, zone);
  const backup = isFromBackup ? await newestWhole(store, zone) : undefined;
  if (!stored || !isFromBackup) throw fault;
  if (!backup || backup.serial <= stored.serial) throw noNewerCopy(store, stored);
  return fromBackup(store, zone, stored);
}

function noNewerCopy(store: Store, { serial, zone }: State): StateError {
  return new StateError({
    code: "no-backup",
    message: `no intact copy is newer than the current state, which has serial ${serial}`,
    remedy: "restore the newest state if you have it elsewhere, or keep this one on purpose",
    commands: [keepIt(store.describe(zone.id), zone.name)],
    at: { file: store.describe(zone.id), line: 1, column: 1 },
  });
}

function putBackFrom({ serial }: State): PutBack {
  return { by: "state repair", serial };
}

const LOST_WITH_IT =
  "changes after that copy are not in it: declared objects are adopted again by name, and the next plan shows the rest";

/** `older`: the state that is there, undamaged but not the newest; absent if it is damaged or missing. */
async function fromBackup(store: Store, zone: ZoneId, older?: State): Promise<RepairStep> {
  const backup = await newestWhole(store, zone);
  if (!backup) throw noBackup(store, zone);
  const journal = await decodeJournal(store.journal(zone), store.describe(zone, "journal"));
  // A journal beside an older state may be just as old, and the copy may already contain it.
  const isAfter = !older || (journal?.binding.baseSerial ?? 0) >= backup.serial;
  const isOurs = journal?.binding.lineage === backup.lineage && isAfter;
  const stored = await store.read(zone);
  const lost = stored && !older ? await findLoss(store, zone, backup) : [LOST_WITH_IT];
  const what = older ? `older state (serial ${older.serial})` : `${stored ? "damaged" : "missing"} state`;
  return {
    says: [
      `the copy of serial ${backup.serial} (${backup.objects.size} objects) replaces the ${what}`,
      ...lost,
      ...(journal && isOurs ? [`the ${journal.seq} records of the journal are applied on top of it`] : []),
      ...(stored ? [KEPT] : []),
    ],
    carryOut: async (lease) => {
      const kept = stored ? [await store.setAside(zone, lease, "state")] : [];
      if (journal && !isOurs) kept.push(await store.setAside(zone, lease, "journal"));
      const next = await restoreBackup(store, zone, backup, isOurs ? journal : undefined);
      await saveState(store, lease, stored?.version, next, { putBack: putBackFrom(backup) });
      return kept;
    },
  };
}

/**
 * Uses a serial above every one that was ever seen, so that no journal and no plan takes the state for an earlier one.
 * Whatever was in place of the newest copy came after it, even if it is gone or unreadable.
 */
async function restoreBackup(
  store: Store,
  zone: ZoneId,
  backup: State,
  journal: DecodedJournal | undefined,
): Promise<State> {
  const [copy = 0] = await store.backups(zone);
  const newest = newestSerial(await readTrail(store, zone), backup.lineage);
  const serial = Math.max(copy + 1, newest, journal?.binding.baseSerial ?? 0, await serialIn(store, zone));
  return applyTraces({ ...backup, serial }, journal?.traces ?? new Map());
}

async function needsBackup(store: Store, zone: ZoneId, fault: StateError): Promise<StateError> {
  const backup = await newestWhole(store, zone);
  if (!backup) return noBackup(store, zone);
  const count = `${backup.objects.size} objects`;
  return withRemedy(
    fault,
    `to restore the copy of serial ${backup.serial} (${count}): zoneform state repair --from backup`,
  );
}

function noBackup(store: Store, zone: ZoneId): StateError {
  return new StateError({
    code: "no-backup",
    message: "the state is damaged or missing, and there is no intact copy of it",
    remedy: `restore a copy of your own; without one, zoneform state rm --zone ${zone} --force keeps what is damaged as a copy, and the live objects can be adopted: zoneform import ID`,
    at: { file: store.describe(zone), line: 1, column: 1 },
  });
}

async function* nothing(): AsyncIterable<string> {
  // An empty journal counts as none.
}
