import type { ZoneId } from "../core/brand.ts";
import { error, Refusal } from "../core/diagnostic.ts";
import { decodeState } from "./codec.ts";
import { StateError } from "./error.ts";
import { type DecodedJournal, decodeJournal } from "./journal.ts";
import { loadState, saveState } from "./load.ts";
import type { Upkeep } from "./local/upkeep.ts";
import { lossOf, newestWhole, serialIn } from "./restore.ts";
import { applyTraces, note, type Traces } from "./replay.ts";
import { journalOf, salvage } from "./salvage.ts";
import { isSealFault } from "./sealed/faults.ts";
import type { State } from "./state.ts";
import type { Lease, StateStore } from "./store.ts";

/** A step of a repair: what it does, in sentences, and the doing. */
export interface RepairStep {
  readonly says: readonly string[];
  carryOut(lease: Lease): Promise<void>;
}

/** How to repair. */
export interface RepairOptions {
  /** Whether the newest whole copy may take the place of a damaged snapshot. */
  readonly isFromBackup: boolean;
}

type Store = StateStore & Upkeep;

/**
 * The next thing that is wrong with a zone's state and can be mended; undefined where nothing is. After a step was carried
 * out, ask again. Throws `StateError` for what cannot be mended, `Refusal` for what is only done when told.
 */
export async function nextRepair(store: Store, zone: ZoneId, options: RepairOptions): Promise<RepairStep | undefined> {
  try {
    await decodeJournal(store.journal(zone), store.describe(zone, "journal"));
  } catch (thrown) {
    // Where the state opens it is not the passphrase that is wrong.
    const isUnreadable = isSealFault(thrown) && (await stateBeside(store, zone)) !== undefined;
    if (codeOf(thrown) === "journal-damaged" || isUnreadable) return journalStep(store, zone);
    if (!isSealFault(thrown)) throw thrown;
  }
  try {
    await loadState(store, zone);
    return undefined;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "journal-of-another-state") return strangeJournal(store, zone);
    if (code === "state-older-than-journal") return rebound(store, zone);
    // Where an earlier copy opens it is the state that is damaged, and not the passphrase that is wrong.
    const isUnreadable = isSealFault(thrown) && (await newestWhole(store, zone)) !== undefined;
    if (code !== "state-damaged" && code !== "state-missing" && !isUnreadable) throw thrown;
    if (options.isFromBackup) return fromBackup(store, zone);
    throw await needsBackup(store, zone, thrown);
  }
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof StateError ? thrown.diagnostic.code : undefined;
}

async function journalStep(store: Store, zone: ZoneId): Promise<RepairStep> {
  const { binding, records, lost } = await salvage(store.looseLines(zone, "journal"));
  const stored = binding ? undefined : await stateBeside(store, zone);
  const belongs = binding ?? (stored && { zone, lineage: stored.lineage, baseSerial: stored.serial });
  if (!belongs) {
    const message =
      "the first line of the journal is damaged and there is no whole state beside it: nothing says to which state it belongs";
    const remedy =
      "zoneform state repair --from backup brings the state back first, once the journal is moved elsewhere";
    throw new Refusal([error({ code: "journal-without-state", message, remedy })]);
  }
  const traces: Traces = new Map();
  for (const record of records) note(traces, record);
  const open = [...traces.values()].filter((trace) => trace.open).length;
  return {
    says: [
      `the journal: ${records.length} records are whole and are kept, ${open} of them intents that are still open`,
      `${lost.length} damaged ${lost.length === 1 ? "line goes" : "lines go"} (line ${lost.slice(0, 10).join(", ")}${lost.length > 10 ? ", …" : ""}); an object that was created there is found again by its name`,
      ...(binding ? [] : ["its first line is damaged: it is taken to belong to the state beside it"]),
    ],
    carryOut: async (lease) => {
      await store.setAside(zone, lease, "journal");
      await store.rewriteJournal(zone, lease, journalOf(belongs, records));
    },
  };
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
      `the journal belongs to another state: its ${records.length} records say nothing about this one, and it is moved out of the way`,
    ],
    carryOut: async (lease) => {
      await store.setAside(zone, lease, "journal");
      await store.rewriteJournal(zone, lease, nothing());
    },
  };
}

async function rebound(store: Store, zone: ZoneId): Promise<RepairStep> {
  const { binding, records } = await salvage(store.looseLines(zone, "journal"));
  const stored = await stateBeside(store, zone);
  if (!binding || !stored) throw new TypeError("a journal that was compared with its state has a first line");
  return {
    says: [
      `the state has serial ${stored.serial}, and its journal goes on from serial ${binding.baseSerial}: the ${records.length} records are put on top of it`,
      "what was written between the two serials is not known; the next plan compares with live",
    ],
    carryOut: async (lease) => {
      await store.setAside(zone, lease, "journal");
      await store.rewriteJournal(zone, lease, journalOf({ ...binding, baseSerial: stored.serial }, records));
    },
  };
}

async function fromBackup(store: Store, zone: ZoneId): Promise<RepairStep> {
  const backup = await newestWhole(store, zone);
  if (!backup) throw noBackup(store, zone);
  const journal = await decodeJournal(store.journal(zone), store.describe(zone, "journal"));
  const isOurs = journal?.binding.lineage === backup.lineage;
  const stored = await store.read(zone);
  const lost = await lossOf(store, zone, backup);
  return {
    says: [
      `the copy of serial ${backup.serial} with ${backup.objects.size} objects takes the place of the damaged state`,
      ...lost,
      ...(journal && isOurs ? [`the ${journal.seq} records of the journal are put on top of it`] : []),
    ],
    carryOut: async (lease) => {
      if (stored) await store.setAside(zone, lease, "state");
      await saveState(store, lease, stored?.version, await restored(store, zone, backup, isOurs ? journal : undefined));
    },
  };
}

/** Above every serial that was ever seen, so that no journal and no plan takes it for an earlier one. */
async function restored(
  store: Store,
  zone: ZoneId,
  backup: State,
  journal: DecodedJournal | undefined,
): Promise<State> {
  const serial = Math.max(backup.serial, journal?.binding.baseSerial ?? 0, await serialIn(store, zone));
  return applyTraces({ ...backup, serial }, journal?.traces ?? new Map());
}

async function needsBackup(store: Store, zone: ZoneId, thrown: unknown): Promise<unknown> {
  const backup = await newestWhole(store, zone);
  if (!(thrown instanceof StateError) || !backup) return thrown instanceof StateError ? noBackup(store, zone) : thrown;
  const remedy = `zoneform state repair --from backup puts back the copy of serial ${backup.serial} (${backup.objects.size} objects)`;
  return new StateError({ ...thrown.diagnostic, remedy }, { cause: thrown });
}

function noBackup(store: Store, zone: ZoneId): StateError {
  return new StateError({
    code: "no-backup",
    message: "the state is damaged, and no earlier copy of it is whole",
    remedy: "put back a copy of your own; without one, move it elsewhere and import what is live: zoneform import",
    at: { file: store.describe(zone), line: 1, column: 1 },
  });
}

async function* nothing(): AsyncIterable<string> {
  // An empty journal is no journal.
}
