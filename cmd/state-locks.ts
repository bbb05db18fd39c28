import { error, Refusal } from "../lib/core/diagnostic.ts";
import type { ProjectWorld } from "../lib/engine/world.ts";
import { moment } from "../lib/report/lines/moment.ts";
import { counted } from "../lib/report/lines/words.ts";
import { ageOf } from "../lib/state/holding.ts";
import { StateError } from "../lib/state/error.ts";
import { type DecodedJournal, decodeJournal } from "../lib/state/journal.ts";
import type { Holding, StateStore } from "../lib/state/store.ts";
import type { DesiredZone } from "../lib/config/desired.ts";

/** A zone whose state is locked. */
export interface LockedZone {
  readonly zone: DesiredZone;
  readonly holding: Holding;
}

/** The zone that is locked under this very id. Throws `Refusal` that names the locks there are. */
export async function findLockedZone(
  store: StateStore,
  zones: readonly DesiredZone[],
  id: string,
): Promise<LockedZone> {
  const locked: LockedZone[] = [];
  for (const zone of zones) {
    const holding = await store.holding(zone.id);
    if (holding) locked.push({ zone, holding });
  }
  const [found, ...others] = locked.filter(({ holding }) => holding.unlockId === id);
  if (found && others.length === 0) return found;
  if (found) throw severalLocked(id, [found, ...others]);
  const names = locked.map(({ zone, holding }) => `${zone.name} is locked with id ${holding.unlockId}`).join("; ");
  const message = names === "" ? "no zone is locked" : `no zone is locked with this id: ${names}`;
  const remedy = names === "" ? "there is nothing to unlock" : "give the whole id of the lock";
  throw new Refusal([error({ code: "not-unlocked", message, remedy })]);
}

/** Where the mark of a holder cannot be read, its lock has a number for an id, and another zone may have the same. */
function severalLocked(id: string, locked: readonly LockedZone[]): Refusal {
  const names = locked.map(({ zone }) => zone.name);
  const message = `several zones are locked with id ${id}: ${names.join(", ")}`;
  return new Refusal([error({ code: "not-unlocked", message, remedy: `choose one with --zone ${names[0]}` })]);
}

/** Who holds the lock, what that run has left open, and what unlocking means. */
export async function lockText(
  { store, clock }: Pick<ProjectWorld, "store" | "clock">,
  { zone, holding }: LockedZone,
): Promise<string> {
  const { holder, isAlive, unlockId } = holding;
  const lines = [`the state of ${zone.name} is locked, with id ${unlockId}`];
  if (!holder) lines.push("  by an unknown process: its lock file cannot be read");
  else {
    lines.push(`  who        ${holder.who}, process ${holder.processId}`, `  operation  ${holder.operation}`);
    lines.push(`  since      ${moment(holder.since)}${ageOf(holder.since, clock.now())}`);
    if (holder.runUrl !== undefined) lines.push(`  run        ${holder.runUrl}`);
  }
  lines.push(`  alive      ${ALIVE[String(isAlive)] ?? ""}`, `  unfinished ${await openIntents(store, zone)}`);
  return lines.join("\n");
}

const ALIVE: Readonly<Record<string, string>> = {
  true: "yes: after the unlock that run cannot write any more; the next run finds out what its last calls did",
  false: "no: you need not unlock it, the next run takes the lock by itself",
  undefined: "unknown: it may run on another machine, so make sure that it is gone",
};

/** So many open intents are named; the others are counted. */
const NAMED = 5;

async function openIntents(store: StateStore, zone: DesiredZone): Promise<string> {
  const journal = await readJournal(store, zone);
  if (journal === "damaged") return "unknown: the journal is damaged, see zoneform state doctor";
  const open = [...(journal?.traces ?? [])].flatMap(([address, trace]) => (trace.open ? [address] : []));
  if (open.length === 0) return "none";
  const named = open.slice(0, NAMED);
  const rest = open.length > named.length ? ` and ${open.length - named.length} more` : "";
  return `${counted(open.length, "change")} without a response: ${named.join(", ")}${rest}`;
}

/** A journal that cannot be read is no reason to keep a lock for ever. */
async function readJournal(store: StateStore, zone: DesiredZone): Promise<DecodedJournal | undefined | "damaged"> {
  try {
    return await decodeJournal(store.journal(zone.id), store.describe(zone.id, "journal"));
  } catch (error) {
    if (error instanceof StateError) return "damaged";
    throw error;
  }
}
