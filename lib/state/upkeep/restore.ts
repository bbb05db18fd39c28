import { type DiagnosticDetails, problem, refusal, topOf } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { streamed } from "../../core/lists.ts";
import { decodeState } from "../codec.ts";
import { StateError } from "../error.ts";
import { headerSerial } from "../engine.ts";
import { applyTraces, readJournal } from "../journal.ts";
import { saveState } from "../load.ts";
import { keepIt, newestSerial, readTrail } from "../trail.ts";
import type { State } from "../state.ts";
import type { Lease } from "../lock.ts";
import type { ProjectStore } from "../zone/store.ts";
import type { ZoneView } from "../zone/view.ts";
import { newestCopy } from "./copies.ts";

/** What a repair says about the damaged part that it replaces. */
export const KEPT = "a copy of what is damaged is kept";

const LOST =
  "what was applied after it is lost: declared objects are adopted again by name, and the next plan shows the rest";

/**
 * A step of a repair: what it does, in sentences, and a function that does it and returns the names of the copies that
 * it keeps.
 */
export interface RepairStep {
  readonly says: readonly string[];
  carryOut(lease: Lease): Promise<readonly string[]>;
}

/**
 * The step that replaces a state by the zone's newest readable one and applies the journal on top. That is the newest
 * earlier copy; or the stored state, if it is intact and no copy is newer. `isOlder`: the stored state is intact and
 * known not to be the newest. The journal has to be readable. Throws `StateError` if there is nothing to restore.
 */
export async function restoring(store: ProjectStore, zone: ZoneId, isOlder: boolean): Promise<RepairStep> {
  const view = await store.view(zone);
  const [stored, copy] = [await readableState(view), await newestCopy(view)];
  const isNewer = copy !== undefined && copy.serial > (stored?.serial ?? 0);
  const base = isNewer ? copy : stored;
  if (!base) throw noCopy(store, zone);
  if (isOlder && !isNewer) throw noNewerCopy(store, base);
  const found = view.state;
  const journal = await readJournal(view);
  // The state already contains a journal of an earlier serial.
  const belongs = journal?.binding.lineage === base.lineage && journal.binding.baseSerial >= base.serial;
  const replaced = stored ? `older state (serial ${stored.serial})` : `${found ? "damaged" : "missing"} state`;
  const records = `the ${journal?.seq} records of the journal`;
  return {
    says: [
      ...(isNewer
        ? [`the copy of serial ${base.serial} (${base.objects.size} objects) replaces the ${replaced}`, LOST]
        : []),
      ...(journal && belongs ? [`${records} are applied on top of it`] : []),
      ...(journal && !belongs ? [`${records} belong to another state, and are not used`] : []),
      ...((isNewer && found) || (journal && !belongs) ? [KEPT] : []),
    ],
    carryOut: async (lease) => {
      const kept = isNewer && found ? [await store.setAside(zone, lease, "state")] : [];
      const serial = Math.max(await highestSerial(store, zone, base), journal?.binding.baseSerial ?? 0);
      if (journal && !belongs) {
        kept.push(await store.setAside(zone, lease, "journal"));
        await store.rewriteJournal(zone, lease, streamed([]));
      }
      const next = applyTraces({ ...base, serial }, belongs ? journal.traces : new Map());
      await saveState(store, lease, found?.version, next, { putBack: { by: "state repair", serial: base.serial } });
      return kept;
    },
  };
}

/** The stored state; undefined if there is none or it cannot be read. */
export async function readableState(view: ZoneView): Promise<State | undefined> {
  const stored = view.state;
  try {
    return stored && (await decodeState(stored.lines, view.describe(), view.zone));
  } catch (thrown) {
    if (thrown instanceof StateError) return undefined;
    throw thrown;
  }
}

/**
 * A serial that no plan or journal has seen a higher one than. The replaced state came after the newest copy, even if
 * it is gone or unreadable.
 */
async function highestSerial(store: ProjectStore, zone: ZoneId, { lineage, serial }: State): Promise<number> {
  const view = await store.view(zone);
  const [copy = 0] = view.backups;
  let damaged = 0;
  for await (const line of store.looseLines(zone, "state")) {
    damaged = headerSerial(line);
    break;
  }
  return Math.max(serial, copy + 1, damaged, newestSerial(await readTrail(view), lineage));
}

/** There is nothing from which the state could be restored. */
export function noCopy(store: ProjectStore, zone: ZoneId): StateError {
  return new StateError({
    code: "no-backup",
    message: "the state is damaged or missing, and there is no intact copy of it",
    remedy: `restore a copy of your own; without one, zoneform state rm --zone ${zone} --force keeps what is damaged as a copy, and the live objects can be adopted: zoneform import ID`,
    at: topOf(store.describe(zone)),
  });
}

function noNewerCopy(store: ProjectStore, { serial, zone }: State): StateError {
  return new StateError({
    code: "no-backup",
    message: `no intact copy is newer than the current state, which has serial ${serial}`,
    remedy: "restore the newest state if you have it elsewhere, or keep this one on purpose",
    commands: [keepIt(store.describe(zone.id), zone.name)],
    at: topOf(store.describe(zone.id)),
  });
}

/** How to accept a state from a file. */
export interface Replacement {
  /** Whether the user asked for an older one. */
  readonly isOlder: boolean;
  /** The highest serial in anything beside the stored state. */
  readonly newest: number;
}

/**
 * Returns what to pass to `saveState` so that a state from a file replaces the stored one. Throws `Refusal` for a state
 * of another lineage, for one that is not newer (unless `isOlder` allows it), and for one that lacks the unfinished
 * changes of a stopped run.
 */
export function checkReplacement(stored: State | undefined, given: State, { isOlder, newest }: Replacement): State {
  if (stored && stored.lineage !== given.lineage)
    throw refusal(problem("state-of-another-lineage", { given: given.lineage, stored: stored.lineage }));
  if (!isOlder && stored && given.serial <= stored.serial) throw refusal(noNewer(stored.serial, given));
  if (!isOlder && given.serial < newest) throw refusal(noNewer(newest, given));
  const pending = stored && pendingCreatesIn(stored).find((address) => !knowsOfCreate(stored, given, address));
  if (pending !== undefined) throw refusal(problem("state-with-open-create", { address: pending }));
  // Saving raises the serial by one. So a newer state keeps its own serial, and an older one gets a serial above all
  // that were ever seen.
  return { ...given, serial: isOlder ? Math.max(stored?.serial ?? 0, given.serial, newest) : given.serial - 1 };
}

function pendingCreatesIn({ objects }: State): readonly string[] {
  return [...objects].flatMap(([address, { pending }]) => (pending ? [address] : []));
}

/**
 * The create is unfinished there too, or its result was found since: an earlier state still has what had the address
 * before.
 */
function knowsOfCreate(stored: State, given: State, address: string): boolean {
  const object = given.objects.get(address);
  return object !== undefined && (object.pending !== undefined || given.serial > stored.serial);
}

function noNewer(serial: number, given: State): DiagnosticDetails {
  return problem("state-not-newer", { given: given.serial, stored: serial });
}
