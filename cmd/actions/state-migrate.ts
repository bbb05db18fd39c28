import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { shellQuoted } from "../../lib/core/shell.ts";
import { placeCommand } from "../../lib/state/moving-mark.ts";
import { withoutPasswords } from "../../lib/real/state-address.ts";
import type { ZoneId } from "../../lib/core/brand.ts";
import { defined } from "../../lib/core/defined.ts";
import { lockedAsRefusal } from "../../lib/state/locked.ts";
import { readHeading } from "../../lib/engine/world.ts";
import { lockHolder } from "../../lib/real/world.ts";
import { counted } from "../../lib/report/lines/words.ts";
import {
  type MigratingZone,
  migrate,
  migratingZones,
  migrationPlace,
  type Migration,
  type MigrationLeases,
  type MigrationPlace,
} from "../../lib/state/migrate.ts";
import type { Lease } from "../../lib/state/store.ts";
import type { Context } from "../context.ts";
import { printSafe } from "../state-printing.ts";
import type { StateWriteFlags } from "../states.ts";
import { localWorld } from "../world.ts";

type MigrateFlags = StateWriteFlags & { readonly to: string };

/** What `zoneform state migrate` does. It needs no zone of the YAML, only the name of the project. */
export async function runStateMigrate(context: Context, flags: MigrateFlags): Promise<void> {
  if ((flags.zone ?? []).length > 0) throw wholeProject();
  const world = localWorld(context, flags);
  const { project, state } = await readHeading(world, flags.config);
  const [old, next] = [await world.openMoving(state), await world.openOther(flags.to)];
  if (old.describe() === next.describe()) throw samePlace(old.describe());
  const migration: Migration = {
    project,
    from: migrationPlace(old, project, world),
    to: migrationPlace(next, project, world),
  };
  const found = await migratingZones(migration);
  if (found.length === 0) throw nothingToMove(project, old.describe());
  const linesOf = (zones: readonly MigratingZone[]): readonly string[] =>
    zones.map((zone) => `  ${zone.name}: ${whatOf(zone)}`);
  if (flags.dryRun) {
    const would = `would move the states of project ${project} from ${old.describe()} to ${next.describe()}:`;
    return printSafe(context, [would, ...linesOf(found)].join("\n"));
  }
  const moved = await underLocks(context, flags, migration, (lock) => migrate(migration, found, lock));
  const done = `moved the states of project ${project} from ${old.describe()} to ${next.describe()}:`;
  const then = "The old place is kept as it was, and refuses commands. From now on, give the new one:";
  printSafe(context, [done, ...linesOf(moved), then, `  ${placeCommand(next.describe())}`].join("\n"));
}

function whatOf({ objects, copies, records, isMoved }: MigratingZone): string {
  if (isMoved) return "moved before";
  return `${counted(objects, "object")}, ${copies} earlier ${copies === 1 ? "copy" : "copies"}, ${counted(records, "record")}`;
}

/** Takes the locks of zones as they are wanted, at the old place first, and frees them at the end. */
async function underLocks<T>(
  context: Context,
  { lockTimeout, to: address }: MigrateFlags,
  { from, to }: Migration,
  act: (lock: (zone: ZoneId) => Promise<MigrationLeases>) => Promise<T>,
): Promise<T> {
  const holder = lockHolder(context.env, "state migrate");
  const waitMilliseconds = lockTimeout * 1000;
  const taken: Lease[] = [];
  const take = async ({ store }: MigrationPlace, zone: ZoneId, placeFlag?: string): Promise<Lease> => {
    const lease = await store
      .lock(zone, holder, waitMilliseconds, context.signal)
      .catch(lockedAsRefusal({ zone, waitMilliseconds, ...defined({ placeFlag }) }));
    taken.push(lease);
    return lease;
  };
  const placeFlag = ` --state ${shellQuoted(withoutPasswords(address))}`;
  try {
    return await act(async (zone) => ({ from: await take(from, zone), to: await take(to, zone, placeFlag) }));
  } finally {
    for (const lease of taken.toReversed()) await lease.release();
  }
}

function wholeProject(): Refusal {
  const message = "the states of a project are moved together, so --zone has no meaning here";
  return new Refusal([error({ code: "which-zone", message, remedy: "leave out --zone" })]);
}

function nothingToMove(project: string, place: string): Refusal {
  const message = `there is no state of project ${project} in ${place}`;
  return new Refusal([error({ code: "no-state", message, remedy: "give the place that has it with --state" })]);
}

function samePlace(place: string): Refusal {
  const message = `the states are in ${place} already`;
  return new Refusal([error({ code: "which-move", message, remedy: "give another place with --to" })]);
}
