import { listed } from "../../lib/core/words.ts";
import { defined } from "../../lib/core/json.ts";
import { shellQuoted } from "../../lib/core/quote.ts";
import { locksDocument } from "../../lib/report/commands/state.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { type Context, print, printingOn } from "../context.ts";
import { printSafe, readStateZones } from "../states.ts";
import type { ZoneId } from "../../lib/core/brand.ts";
import { type Refusal, refusal } from "../../lib/core/diagnostic.ts";
import type { ProjectWorld } from "../../lib/engine/world.ts";
import { momentAndAge } from "../../lib/core/moment.ts";
import type { Complete } from "../../lib/report/printers/text.ts";
import { counted } from "../../lib/core/words.ts";
import { type Holding, renewedText, RUNS_OR_WAS_KILLED, takeOverSeconds, takeOverText } from "../../lib/state/lock.ts";
import { StateError } from "../../lib/state/error.ts";
import { type DecodedJournal, readJournal } from "../../lib/state/journal.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import type { DesiredZone } from "../../lib/config/desired.ts";
import type { ProjectFlags } from "../flags.ts";

type LockFlags = ProjectFlags & { readonly json?: boolean };

/** Runs `zoneform state lock`. */
export async function runStateLock(context: Context, flags: LockFlags): Promise<void> {
  const { world, zones } = await readStateZones(context, flags);
  const { complete } = printingOn(context, flags);
  const unlock = ({ zone, holding }: LockedZone): string | undefined =>
    holding.unlockId === undefined
      ? undefined
      : complete(`zoneform state unlock ${shellQuoted(holding.unlockId)} --zone ${shellQuoted(zone.name)}`);
  const documents: Parameters<typeof locksDocument>[0][number][] = [];
  for (const zone of zones) {
    const holding = await holdingNow(world.store, zone.id);
    const locked = holding && { zone, holding };
    documents.push({ zone, ...(locked ? { holding: locked.holding, ...defined({ unlock: unlock(locked) }) } : {}) });
    if (flags.json) continue;
    if (!locked) printSafe(context, `the state of ${zone.name} is not locked`);
    else
      printSafe(
        context,
        [
          await lockText(world, locked),
          ...takeOverLines(locked, complete),
          ...unlockLines(locked, unlock(locked)),
        ].join("\n"),
      );
  }
  if (flags.json) print(context.stdout, jsonText(locksDocument(documents, world.clock.now())));
}

type UnlockFlags = ProjectFlags & { readonly dryRun?: boolean };

/** Runs `zoneform state unlock`. */
export async function runStateUnlock(context: Context, id: string, flags: UnlockFlags): Promise<void> {
  const { world, zones } = await readStateZones(context, flags);
  const locked = await findLockedZone(world.store, zones, id);
  printSafe(context, await lockText(world, locked));
  if (flags.dryRun) return printSafe(context, `would unlock the state of ${locked.zone.name}`);
  await world.store.unlock(locked.zone.id, id);
  printSafe(context, `the state of ${locked.zone.name} is unlocked; the next apply continues from the journal`);
}

/** A zone whose state is locked. */
export interface LockedZone {
  readonly zone: Pick<DesiredZone, "id" | "name">;
  readonly holding: Holding;
}

/** The zone that is locked under exactly this id. Throws `Refusal` that names the existing locks. */
async function findLockedZone(store: ProjectStore, zones: readonly DesiredZone[], id: string): Promise<LockedZone> {
  const locked: LockedZone[] = [];
  for (const zone of zones) {
    const holding = await holdingNow(store, zone.id);
    if (holding) locked.push({ zone, holding });
  }
  const [found, ...others] = locked.filter(({ holding }) => holding.unlockId === id);
  if (found && others.length === 0) return found;
  if (found) throw severalLocked(id, [found, ...others]);
  const names = locked.map(({ zone, holding }) => `${zone.name} is ${lockedAs(holding)}`).join("; ");
  const message = names === "" ? "no zone is locked" : `no zone is locked with this id: ${names}`;
  const hasId = locked.some(({ holding }) => holding.unlockId !== undefined);
  const advice = hasId ? "give the whole id of the lock" : "unlock it on the server's page";
  const remedy = names === "" ? "there is nothing to unlock" : advice;
  throw refusal({ code: "not-unlocked", message, remedy });
}

function lockedAs({ unlockId }: Holding): string {
  return unlockId === undefined ? "locked; the server does not say by which run" : `locked with id ${unlockId}`;
}

/** The holder of a lock, for a user who may want to free it. */
function holdingNow(store: ProjectStore, zone: ZoneId): Promise<Holding | undefined> {
  return store.inquire(zone);
}

/**
 * If the mark of a holder cannot be read, the id of its lock is a number, and another zone's lock may have the same.
 */
function severalLocked(id: string, locked: readonly LockedZone[]): Refusal {
  const names = locked.map(({ zone }) => zone.name);
  const message = `several zones are locked with id ${id}: ${names.join(", ")}`;
  return refusal({ code: "not-unlocked", message, remedy: `choose one with --zone ${names[0]}` });
}

/** Who holds the lock, what that run has left unfinished, and what unlocking means. */
export async function lockText(
  { store, clock }: Pick<ProjectWorld, "store" | "clock">,
  { zone, holding }: LockedZone,
): Promise<string> {
  const { holder, unlockId } = holding;
  const lines = [`the state of ${zone.name} is ${lockedAs(holding)}`];
  if (unlockId === undefined) lines.push(`  where      ${store.describe(zone.id)}`);
  else if (!holder) lines.push("  by an unknown process: the lock cannot be read");
  else {
    lines.push(`  who        ${holder.who}, process ${holder.processId}`, `  operation  ${holder.operation}`);
    lines.push(`  since      ${momentAndAge(holder.since, clock.now())}`);
    if (holder.runUrl !== undefined) lines.push(`  run        ${holder.runUrl}`);
  }
  lines.push(`  alive      ${aliveText(holding)}`, `  unfinished ${await unfinishedText(store, zone)}`);
  return lines.join("\n");
}

function aliveText(holding: Holding): string {
  const { isAlive, renewal } = holding;
  const renewed = renewedText(holding);
  if (isAlive === true) return "yes: wait for it";
  if (isAlive === false)
    return `no${renewed === undefined ? "" : `, ${renewed}`}: nothing to do, ${takeOverText(holding)}`;
  if (renewal) return `unknown${renewed === undefined ? "" : `, ${renewed}`}: if it is gone, ${takeOverText(holding)}`;
  return `unknown: it ${RUNS_OR_WAS_KILLED}, so make sure that it is gone`;
}

/** How to take the lock of a run that may be gone, if waiting long enough frees it. */
export function takeOverLines({ zone, holding }: LockedZone, complete: Complete): readonly string[] {
  const { isAlive, renewal } = holding;
  if (isAlive !== undefined || !renewal) return [];
  const apply = `zoneform apply --zone ${shellQuoted(zone.name)} --lock-timeout ${takeOverSeconds(renewal)}`;
  return ["  to apply, and take the lock if that run is gone", `    ${complete(apply)}`];
}

/**
 * How to unlock the state; undefined stands for a lock that no command can unlock, because the server does not name its
 * holder.
 */
export function unlockLines({ holding }: Pick<LockedZone, "holding">, command: string | undefined): readonly string[] {
  const { isAlive, renewal } = holding;
  // The next run takes the lock of a dead one by itself.
  if (isAlive === false) return [];
  if (command === undefined)
    return ["  to unlock", "    make sure that no run is active, then unlock the state on the server's page"];
  return [`  ${isAlive ? UNLOCK_RUNNING : renewal ? UNLOCK_SOONER : "to unlock"}`, `    ${command}`];
}

const UNLOCK_RUNNING =
  "to unlock all the same: that run can then write nothing more, and the next one finds out what it did";
const UNLOCK_SOONER = "to unlock sooner, once you are sure that it is gone";

/** How many unfinished intents to name before counting the rest. */
const NAMED = 5;

async function unfinishedText(store: ProjectStore, zone: LockedZone["zone"]): Promise<string> {
  const journal = await journalUnlessDamaged(store, zone);
  if (journal === "damaged") return "unknown: the journal is damaged, see zoneform state doctor";
  const unfinished = [...(journal?.traces ?? [])].flatMap(([address, trace]) => (trace.unfinished ? [address] : []));
  if (unfinished.length === 0) return "none";
  return `${counted(unfinished.length, "change")} without a response: ${listed(unfinished, NAMED)}`;
}

/** A journal that cannot be read must not keep a lock for ever. */
async function journalUnlessDamaged(
  store: ProjectStore,
  zone: LockedZone["zone"],
): Promise<DecodedJournal | undefined | "damaged"> {
  try {
    return await readJournal(await store.view(zone.id));
  } catch (error) {
    if (error instanceof StateError) return "damaged";
    throw error;
  }
}
