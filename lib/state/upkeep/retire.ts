import { listed } from "../../core/words.ts";
import { problem, Refusal, refusal } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { EXIT } from "../../core/exit-code.ts";
import { shellQuoted } from "../../core/quote.ts";
import { StateError } from "../error.ts";
import { readJournal } from "../journal.ts";
import { loadState, saveState } from "../load.ts";
import type { ProjectStore } from "../zone/store.ts";
import type { State } from "../state.ts";
import type { Lease } from "../lock.ts";

/** How many addresses to name before counting the rest. */
const NAMED = 3;

/** What is known about a zone whose state will be removed. */
export interface Retiring {
  readonly id: ZoneId;
  /** The name in the state, or the id if the state cannot be read. */
  readonly name: string;
  /** Absent if it cannot be read. */
  readonly state?: State;
  /** Why removing it needs force; empty if there is no reason. */
  readonly reasons: readonly string[];
}

/**
 * The zone with this name or id that has something kept or is on its way here, even if the project no longer has it.
 * Throws `Refusal` if there is none, or if several have the name.
 */
export async function retiring(
  store: ProjectStore,
  wanted: string,
  onTheWay: readonly ZoneId[] = [],
): Promise<Retiring> {
  const all: Retiring[] = [];
  const ids = [...new Set([...(await store.zones()), ...onTheWay])];
  const byId = ids.filter((id) => id === wanted);
  for (const id of byId.length > 0 ? byId : ids) all.push(await lookedInto(store, id));
  const found = all.filter(({ id, name }) => id === wanted || name === wanted);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only) throw several(wanted, found);
  throw none(wanted, all);
}

async function lookedInto(store: ProjectStore, id: ZoneId): Promise<Retiring> {
  try {
    const loaded = await loadState(store, id, { acceptsOlder: true });
    if (!loaded) return { id, name: id, reasons: [] };
    return { id, name: loaded.state.zone.name, state: loaded.state, reasons: await findReasons(store, loaded.state) };
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown;
    return { id, name: id, reasons: [`it cannot be read (${thrown.diagnostic.message})`] };
  }
}

async function findReasons(store: ProjectStore, { zone, objects }: State): Promise<readonly string[]> {
  const all = [...objects];
  const shielded = all.filter(([, object]) => object.protect).map(([address]) => address);
  const journal = await readJournal(await store.view(zone.id));
  const intents = [...(journal?.traces ?? [])].flatMap(([address, { unfinished }]) => (unfinished ? [address] : []));
  const pending = all.filter(([, object]) => object.pending ?? object.unanswered).map(([address]) => address);
  const unknown = [...new Set([...intents, ...pending])];
  return [
    ...(shielded.length > 0 ? [`it has protected objects: ${listed(shielded, NAMED)}`] : []),
    ...(unknown.length > 0 ? [`a run was stopped before it got a response about ${listed(unknown, NAMED)}`] : []),
  ];
}

/** Throws `Refusal` with exit code 4 if there is a reason against removing the zone's state. */
export function refuseInUse({ id, name, reasons }: Retiring): void {
  if (reasons.length === 0) return;
  const values = { name, reasons: reasons.join("; "), zone: shellQuoted(id) };
  throw refusal(problem("zone-state-in-use", values), EXIT.refused);
}

/** Removes everything that is kept for the zone, except copies whose names it returns. Needs the lock. */
export async function retire(store: ProjectStore, lease: Lease, { id, state }: Retiring): Promise<readonly string[]> {
  if (!state) return store.retire(id, lease);
  const loaded = await loadState(store, id, { acceptsOlder: true });
  // Folded into one file, so that the copy can be pushed again as it is.
  if (loaded?.hasJournal) await saveState(store, lease, loaded.version, loaded.state);
  return store.retire(id, lease);
}

function several(wanted: string, found: readonly Retiring[]): Refusal {
  const message = `several states are of a zone named ${JSON.stringify(wanted)}`;
  const commands = found.map(({ id }) => `zoneform state rm --zone ${id}`);
  return refusal({ code: "which-zone", message, remedy: "choose one by its id", commands });
}

function none(wanted: string, all: readonly Retiring[]): Refusal {
  const message = `there is no state of a zone ${JSON.stringify(wanted)}`;
  const there = all.map(({ id, name }) => (name === id ? id : `${name} (${id})`)).join(", ");
  const remedy = there === "" ? "there is nothing to remove" : `there are states of ${there}`;
  return refusal({ code: "no-state", message, remedy });
}
