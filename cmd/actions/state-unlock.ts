import type { Context, ProjectFlags } from "../context.ts";
import { readStateZones } from "../states.ts";
import { printSafe } from "../state-printing.ts";
import { findLockedZone, lockText } from "../state-locks.ts";

type UnlockFlags = ProjectFlags & { readonly dryRun?: boolean };

/** What `zoneform state unlock` does. */
export async function runStateUnlock(context: Context, id: string, flags: UnlockFlags): Promise<void> {
  const { world, zones } = await readStateZones(context, flags);
  const locked = await findLockedZone(world.store, zones, id);
  printSafe(context, await lockText(world, locked));
  if (flags.dryRun) return printSafe(context, `would unlock the state of ${locked.zone.name}`);
  await world.store.unlock(locked.zone.id, id);
  printSafe(context, `the state of ${locked.zone.name} is unlocked; the next apply continues from the journal`);
}
