import type { ZoneId } from "../core/brand.ts";
import { placeError, type StateError } from "./error.ts";
import { markOf, type MovingMark, placeCommand } from "./moving-mark.ts";
import { atOnce, type Lease, type StateReader } from "./store.ts";
import type { StateStores } from "./stores.ts";
import { withStores } from "./with-stores.ts";
import type { ProjectStore } from "./upkeep.ts";

/**
 * Stores that refuse a state that was moved elsewhere, or whose move to here is not complete: whoever still has the old
 * address must not start a second state.
 */
export function refusingMoved(stores: StateStores): StateStores {
  return withStores(stores, (store) => refusingStore(store, stores.describe()));
}

function refusingStore(store: ProjectStore, place: string): ProjectStore {
  async function refuse(zone: ZoneId, from: StateReader = store): Promise<void> {
    const mark = await markOf(from, zone);
    if (mark) throw refused(place, mark);
  }

  /** A project moves as a whole: a zone that had no state before the move gets none at the old place. */
  async function refuseNew(zone: ZoneId): Promise<void> {
    for (const other of await store.zones()) if (other !== zone) await refuse(other);
  }

  /** Takes the first state of a zone away again, before anything depends on it. */
  async function withdraw(zone: ZoneId, lease: Lease, error: unknown): Promise<never> {
    await store.retire(zone, lease).catch(() => undefined);
    throw error;
  }

  const refusing = (from: StateReader): StateReader => ({
    ...from,
    read: async (zone) => {
      await refuse(zone, from);
      const found = await from.read(zone);
      if (!found) await refuseNew(zone);
      return found;
    },
  });

  return {
    ...store,
    read: (zone) => refusing(store).read(zone),
    atOnce: async (zone) => refusing(await atOnce(store, zone)),
    // A move may have marked the other zones since this one was locked. It looks for new states after it marked them, and
    // we look for its marks after we wrote one: so one of us sees the other.
    write: async (zone, lease, expected, lines) => {
      const version = await store.write(zone, lease, expected, lines);
      if (expected === undefined) await refuseNew(zone).catch((error: unknown) => withdraw(zone, lease, error));
      return version;
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

/** Throws `StateError` if the zone's state was moved elsewhere: what is left here says where, and has to stay. */
export async function refuseMovedAway(store: ProjectStore, zone: ZoneId, place: string): Promise<void> {
  const mark = await markOf(store, zone);
  if (mark?.direction === "away") throw refused(place, mark);
}

function refused(place: string, { direction, other }: MovingMark): StateError {
  if (direction === "away")
    return placeError({
      code: "state-moved",
      message: `the states were moved from ${place} to ${other}`,
      remedy: "give the new place with --state, or for all commands:",
      commands: [placeCommand(other)],
    });
  const message = `the states are being moved from ${other} to ${place}, and are not complete there`;
  const remedy =
    "run zoneform state migrate --to again, with the old place in ZONEFORM_STATE: it completes the move; if that place is gone for good, remove what is here with zoneform state rm --zone ZONE --force";
  return placeError({ code: "state-arriving", message, remedy });
}
