import { Refusal, refusal } from "../../lib/core/diagnostic.ts";
import { shellQuoted } from "../../lib/core/quote.ts";
import { movedAway } from "../../lib/state/zone/marks.ts";
import { withoutPasswords } from "../../lib/real/state-address.ts";
import type { ZoneId } from "../../lib/core/brand.ts";
import { defined } from "../../lib/core/json.ts";
import { type Lease, lockedAsRefusal } from "../../lib/state/lock.ts";
import { readHeading } from "../../lib/engine/world.ts";
import { lockHolder } from "../../lib/real/world.ts";
import { counted } from "../../lib/core/words.ts";
import {
  migrate,
  type MigratingZone,
  migratingZones,
  type Migration,
  migrationPlace,
  type MigrationPlace,
  type UnderBothLocks,
} from "../../lib/state/upkeep/migrate.ts";
import type { Context } from "../context.ts";
import { printSafe } from "../states.ts";
import { localWorld } from "../world.ts";
import type { StateWriteFlags } from "../flags.ts";

type MigrateFlags = StateWriteFlags & { readonly to: string };

/** Runs `zoneform state migrate`. It needs no zone of the YAML, only the name of the project. */
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
  const what = `the states of project ${project} from ${old.describe()} to ${next.describe()}`;
  if (flags.dryRun) {
    const lines = found.map((zone) => `  ${zone.name}: ${whatOf(zone)}`);
    return printSafe(context, [`would move ${what}:`, ...lines].join("\n"));
  }
  const left = found.filter(({ isMoved }) => !isMoved);
  const moved = new Set<ZoneId>();
  try {
    for await (const zone of migrate(migration, bothLocks(context, flags, migration))) moved.add(zone);
  } catch (thrown) {
    if (moved.size > 0) printSafe(context, `moved ${moved.size} of ${counted(left.length, "zone")}; ${AGAIN}`);
    throw thrown;
  }
  const begun = [...moved].filter((id) => !left.some((zone) => zone.id === id));
  const lines = [
    `moved ${what}:`,
    ...found.map((zone) => `  ${zone.name}: ${whatOf(zone)}`),
    ...begun.map((id) => `  ${id}: begun meanwhile`),
    "The old place is kept as it was, and refuses commands. From now on, give the new one:",
    ...(movedAway(old.describe(), next.describe()).commands ?? []).map((command) => `  ${command}`),
  ];
  printSafe(context, lines.join("\n"));
}

const AGAIN = "the others stay where they are until the same command is run again, which completes the move";

function whatOf({ objects, copies, records, isMoved }: MigratingZone): string {
  if (isMoved) return "moved before";
  return `${counted(objects, "object")}, ${copies} earlier ${copies === 1 ? "copy" : "copies"}, ${counted(records, "record")}`;
}

/** Takes the lock of a zone at the old place, then at the new one. */
function bothLocks(
  context: Context,
  { lockTimeout, to: address }: MigrateFlags,
  { from, to }: Migration,
): UnderBothLocks {
  const holder = lockHolder(context.env, "state migrate");
  const waitMilliseconds = lockTimeout * 1000;
  const take = ({ store }: MigrationPlace, zone: ZoneId, placeFlag?: string): Promise<Lease> =>
    store
      .lock(zone, holder, waitMilliseconds, context.signal)
      .catch(lockedAsRefusal({ zone, waitMilliseconds, ...defined({ placeFlag }) }));
  return async (zone, act) => {
    const old = await take(from, zone);
    try {
      const next = await take(to, zone, ` --state ${shellQuoted(withoutPasswords(address))}`);
      try {
        await act({ from: old, to: next });
      } finally {
        await next.release();
      }
    } finally {
      await old.release();
    }
  };
}

function wholeProject(): Refusal {
  const message = "the states of a project are moved together, so --zone has no meaning here";
  return refusal({ code: "which-zone", message, remedy: "leave out --zone" });
}

function nothingToMove(project: string, place: string): Refusal {
  const message = `there is no state of project ${project} in ${place}`;
  return refusal({ code: "no-state", message, remedy: "give the place that has it with --state" });
}

function samePlace(place: string): Refusal {
  const message = `the states are in ${place} already`;
  return refusal({ code: "which-move", message, remedy: "give another place with --to" });
}
