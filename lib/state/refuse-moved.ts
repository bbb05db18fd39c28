import type { ZoneId } from "../core/brand.ts";
import { StateError } from "./error.ts";
import { markOf, type MovingMark, placeCommand } from "./moving-mark.ts";
import type { StateStores } from "./stores.ts";
import type { ProjectStore } from "./upkeep.ts";

/**
 * Stores that refuse a state that was moved elsewhere, or whose move to here is not complete: whoever still has the old
 * address must not start a second state.
 */
export function refusingMoved(stores: StateStores): StateStores {
  const refusing = new Map<string, ProjectStore>();
  return {
    ...stores,
    of: (project) => {
      const store = refusing.get(project) ?? refusingStore(stores.of(project), stores.describe());
      refusing.set(project, store);
      return store;
    },
  };
}

function refusingStore(store: ProjectStore, place: string): ProjectStore {
  async function refuse(zone: ZoneId): Promise<void> {
    const mark = await markOf(store, zone);
    if (mark) throw refused(place, mark);
  }

  /** A project moves as a whole: a zone that had no state before the move gets none at the old place. */
  async function refuseNew(zone: ZoneId): Promise<void> {
    for (const other of await store.zones()) if (other !== zone) await refuse(other);
  }

  return {
    ...store,
    read: async (zone) => {
      await refuse(zone);
      const found = await store.read(zone);
      if (!found) await refuseNew(zone);
      return found;
    },
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const lease = await store.lock(zone, holder, waitMilliseconds, signal);
      try {
        await refuse(zone);
        if (!(await store.read(zone))) await refuseNew(zone);
        return lease;
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
    },
  };
}

function refused(place: string, { direction, other }: MovingMark): StateError {
  if (direction === "away")
    return new StateError({
      code: "state-moved",
      message: `the states were moved from ${place} to ${other}`,
      remedy: "give the new place with --state, or for all commands:",
      commands: [placeCommand(other)],
    });
  const message = `the states are being moved from ${other} to ${place}, and are not complete there`;
  const remedy = "run zoneform state migrate --to again, with the old place in ZONEFORM_STATE: it completes the move";
  return new StateError({ code: "state-arriving", message, remedy });
}
