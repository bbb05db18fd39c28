import type { ZoneId } from "../../lib/core/brand.ts";
import type { Lease } from "../../lib/state/lock.ts";
import { migrate, type Migration } from "../../lib/state/upkeep/migrate.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { HOLDER } from "./state-world.ts";

/** Moves all states of a project, and returns the zones in the order in which they were moved. */
export async function moveStates(
  migration: Migration,
  lock: (store: ProjectStore, zone: ZoneId) => Promise<Lease> = (store, zone) => store.lock(zone, HOLDER, 0),
): Promise<readonly ZoneId[]> {
  const moved: ZoneId[] = [];
  const moving = migrate(migration, async (zone, act) => {
    const [from, to] = [await lock(migration.from.store, zone), await lock(migration.to.store, zone)];
    await act({ from, to });
    await to.release();
    await from.release();
  });
  for await (const zone of moving) moved.push(zone);
  return moved;
}
