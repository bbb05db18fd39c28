import type { ZoneId } from "../../core/brand.ts";
import { placeError, type StateError } from "../error.ts";
import { markOf, type MovingMark, placeCommand, type ProjectMark } from "./moving-mark.ts";
import type { Contender } from "../shared-value.ts";
import { atOnce, type Lease, type StateReader } from "../store.ts";
import type { StateStores } from "../stores.ts";
import { withStores } from "../with-stores.ts";
import type { ProjectStore } from "../upkeep.ts";

/**
 * Stores that refuse a state that was moved elsewhere, or whose move to here is not complete: whoever still has the old
 * address must not start a second state.
 */
export function refusingMoved(stores: StateStores, contender: Contender): StateStores {
  return withStores(stores, (store, project) =>
    refusingStore(store, markOf(stores, project, contender), stores.describe()),
  );
}

function refusingStore(store: ProjectStore, marked: ProjectMark, place: string): ProjectStore {
  /** One read answers for all zones of a command; each lock asks again. */
  let known: Promise<MovingMark | undefined> | undefined;
  /** The zones that we hold: nobody moves them meanwhile. */
  const held = new Set<ZoneId>();

  function readAgain(): Promise<MovingMark | undefined> {
    const read = marked.read();
    known = read;
    read.catch(() => (known = undefined));
    return read;
  }

  /**
   * A project moves as a whole: a zone that had no state before the move gets none at the old place. One that got its
   * state just before the mark came is moved by the one who is moving the others.
   */
  async function refuse(mark: MovingMark | undefined, zone: ZoneId, hasState: () => Promise<boolean>): Promise<void> {
    if (mark && (mark.zones.includes(zone) || !(await hasState()))) throw refused(place, mark);
  }

  /** Takes the first state of a zone away again, before anything depends on it. */
  async function withdraw(zone: ZoneId, lease: Lease, error: unknown): Promise<never> {
    await store.retire(zone, lease).catch(() => undefined);
    throw error;
  }

  const refusing = (from: StateReader): StateReader => ({
    ...from,
    read: async (zone) => {
      const mark = held.has(zone) ? undefined : await (known ?? readAgain());
      await refuse(mark, zone, async () => (await from.read(zone)) !== undefined);
      return from.read(zone);
    },
  });

  return {
    ...store,
    read: (zone) => refusing(store).read(zone),
    atOnce: async (zone, lease) => refusing(await atOnce(store, zone, lease)),
    // A move may have begun since this zone was locked. It looks for new states after it wrote its mark, and we look for
    // the mark after we wrote one: so one of us sees the other.
    write: async (zone, lease, expected, lines, beside) => {
      const version = await store.write(zone, lease, expected, lines, beside);
      if (expected === undefined)
        await readAgain()
          .then((mark) => refuse(mark, zone, async () => false))
          .catch((error: unknown) => withdraw(zone, lease, error));
      return version;
    },
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const lease = await store.lock(zone, holder, waitMilliseconds, signal);
      try {
        await refuse(await readAgain(), zone, async () => (await store.read(zone)) !== undefined);
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
      held.add(zone);
      const release = async (): Promise<void> => {
        held.delete(zone);
        await lease.release();
      };
      return { ...lease, release };
    },
  };
}

/** Throws `StateError` if the zone's state was moved elsewhere: what is left here says where, and has to stay. */
export function refuseMovedAway(mark: MovingMark | undefined, zone: ZoneId, place: string): void {
  if (mark?.direction === "away" && mark.zones.includes(zone)) throw refused(place, mark);
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
