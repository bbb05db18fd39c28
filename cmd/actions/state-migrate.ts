import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { shellQuoted } from "../../lib/core/shell.ts";
import { placeCommand } from "../../lib/state/moving-mark.ts";
import { withoutPasswords } from "../../lib/real/state-address.ts";
import type { ZoneId } from "../../lib/core/brand.ts";
import { readHeading } from "../../lib/engine/world.ts";
import { counted } from "../../lib/report/lines/words.ts";
import {
  type MigratingZone,
  migrate,
  migratingZones,
  type Migration,
  type MigrationLeases,
} from "../../lib/state/migrate.ts";
import type { Context } from "../context.ts";
import { printSafe } from "../state-printing.ts";
import { type StateWriteFlags, underLock } from "../states.ts";
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
    from: { store: old.of(project), claims: old.claims, name: old.describe() },
    to: { store: next.of(project), claims: next.claims, name: next.describe() },
  };
  const found = await migratingZones(migration);
  if (found.length === 0) throw nothingToMove(project, old.describe());
  const lines = found.map((zone) => `  ${zone.name}: ${whatOf(zone)}`);
  if (flags.dryRun) {
    const would = `would move the states of project ${project} from ${old.describe()} to ${next.describe()}:`;
    return printSafe(context, [would, ...lines].join("\n"));
  }
  await underLocks(context, flags, migration, found, async (leases) => {
    // Under the locks nobody changes them any more.
    await migrate(migration, await migratingZones(migration), leases);
  });
  const done = `moved the states of project ${project} from ${old.describe()} to ${next.describe()}:`;
  const then = "The old place is kept as it was, and refuses commands. From now on, give the new one:";
  printSafe(context, [done, ...lines, then, `  ${placeCommand(next.describe())}`].join("\n"));
}

function whatOf({ objects, copies, records, isMoved }: MigratingZone): string {
  if (isMoved) return "moved before";
  return `${counted(objects, "object")}, ${copies} earlier ${copies === 1 ? "copy" : "copies"}, ${counted(records, "record")}`;
}

/** Takes the locks of all zones, at the old place first. */
async function underLocks(
  context: Context,
  flags: MigrateFlags,
  migration: Migration,
  zones: readonly MigratingZone[],
  act: (leases: ReadonlyMap<ZoneId, MigrationLeases>) => Promise<void>,
  taken: ReadonlyMap<ZoneId, MigrationLeases> = new Map(),
): Promise<void> {
  const [zone, ...others] = zones;
  if (!zone) return act(taken);
  const { from, to } = migration;
  await underLock(context, flags, { store: from.store, zone }, "state migrate", (old) =>
    underLock(
      context,
      flags,
      { store: to.store, zone, placeFlag: ` --state ${shellQuoted(withoutPasswords(flags.to))}` },
      "state migrate",
      (lease) =>
        underLocks(context, flags, migration, others, act, new Map([...taken, [zone.id, { from: old, to: lease }]])),
    ),
  );
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
