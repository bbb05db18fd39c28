import type { ZoneId } from "../../core/brand.ts";
import { StateError } from "../error.ts";
import { decodeJournal } from "../journal.ts";
import { loadState } from "../load.ts";
import { condenseObservations, readObservations } from "../observations.ts";
import { isOlderState } from "../older.ts";
import { note, type Traces } from "../replay.ts";
import type { ProjectStore } from "../upkeep.ts";
import { newestCopy } from "./copies.ts";
import { checkDamaged } from "./damage.ts";
import { KEPT, noCopy, readableState, type RepairStep, restoring } from "./restore.ts";
import { journalOf, type Salvage, salvage } from "./salvage.ts";

/**
 * The next fault of a zone's state that can be repaired; undefined if there is none. After the step was done, call it
 * again: a damaged journal hides what is wrong with the state. Throws `StateError` for what cannot be repaired.
 */
export async function nextRepair(store: ProjectStore, zone: ZoneId): Promise<RepairStep | undefined> {
  const ofJournal = await findFault(() => decodeJournal(store.journal(zone), store.describe(zone, "journal")));
  if (ofJournal) {
    await checkDamaged(store, zone, "journal", ofJournal);
    return journalStep(store, zone);
  }
  const fault = await findFault(() => loadState(store, zone));
  if (!fault) return observationsStep(store, zone);
  const isOlder = isOlderState(fault);
  if (!isOlder && !REPLACED.has(fault.diagnostic.code)) await checkDamaged(store, zone, "state", fault);
  return restoring(store, zone, isOlder);
}

/** The codes of a state that is gone, and of one that is whole and does not fit its journal. */
const REPLACED: ReadonlySet<string> = new Set([
  "state-missing",
  "journal-of-another-state",
  "state-older-than-journal",
]);

async function findFault(read: () => Promise<unknown>): Promise<StateError | undefined> {
  try {
    await read();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StateError) return thrown;
    throw thrown;
  }
}

/** Keeps the records of a damaged journal that are whole. */
async function journalStep(store: ProjectStore, zone: ZoneId): Promise<RepairStep> {
  const salvaged = await salvage(store.looseLines(zone, "journal"));
  const { binding, records } = salvaged;
  const beside = binding ? undefined : ((await readableState(store, zone)) ?? (await newestCopy(store, zone)));
  const belongs = binding ?? (beside && { zone, lineage: beside.lineage, baseSerial: beside.serial });
  if (!belongs) throw noCopy(store, zone);
  return {
    says: [
      ...saysOf(salvaged),
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

function saysOf({ records, lost, doubted }: Salvage): readonly string[] {
  const traces: Traces = new Map();
  for (const record of records) note(traces, record);
  const open = [...traces.values()].filter((trace) => trace.open).length;
  const kept = `${records.length} ${records.length === 1 ? "record is" : "records are"} kept`;
  return [
    `the journal: ${kept}, ${open} of them unfinished changes`,
    lost.length === 0
      ? "no line is removed; a duplicate line is kept once"
      : `${numbered(lost)} damaged and removed; an object that was created by one is found again by its name`,
    ...(doubted.length === 0
      ? []
      : [`${numbered(doubted)} kept despite a wrong checksum: the next run looks up what it was about to do`]),
  ];
}

/** How many line numbers to list; more would not help. */
const NAMED_LINES = 10;

function numbered(lines: readonly number[]): string {
  const numbers = `${lines.slice(0, NAMED_LINES).join(", ")}${lines.length > NAMED_LINES ? ", …" : ""}`;
  return lines.length === 1 ? `line ${numbers} is` : `${lines.length} lines (${numbers}) are`;
}

/** Nothing depends on a line that cannot be read, so no copy of it is kept. */
async function observationsStep(store: ProjectStore, zone: ZoneId): Promise<RepairStep | undefined> {
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
