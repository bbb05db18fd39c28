import type { ZoneId } from "../../core/brand.ts";
import { type Codec, oneOf, record, records, zone } from "../../core/codec.ts";
import { text } from "../../core/decode.ts";
import { shellQuoted } from "../../core/shell.ts";
import type { StillHeld } from "../zone/claims.ts";
import { type Contender, sharedValue, VERSION } from "../shared-value.ts";
import type { StateStores } from "../stores.ts";
import { placeError, type StateError } from "../error.ts";
import { atOnce, type Lease, type StateReader } from "../store.ts";
import { withStores } from "../with-stores.ts";
import type { ProjectStore } from "../upkeep.ts";

/**
 * What a place says of a project that moves: the states of these zones are at `other` (`away`), or are on their way from
 * there (`here`; without zones while the move is not complete). A project has at most one, whatever the number of its
 * zones, so one read answers for all of them.
 */
export interface MovingMark {
  readonly direction: "away" | "here";
  /** The address of the other place, without a password. */
  readonly other: string;
  readonly zones: readonly ZoneId[];
}

/** The mark of a project at a place. */
export interface ProjectMark {
  /** Undefined if the project does not move. Throws `StateError` if it cannot be read. */
  read(): Promise<MovingMark | undefined>;
  /** Replaces it in one step. Throws what `stillHeld` throws. */
  change(change: (mark: MovingMark | undefined) => MovingMark | undefined, stillHeld?: StillHeld): Promise<void>;
}

interface Moving extends Omit<MovingMark, "zones"> {
  readonly project: string;
  readonly zones: readonly { readonly zone: ZoneId }[];
}

interface Moves {
  readonly projects: readonly Moving[];
}

const MOVING: Codec<Moving> = record<Moving>({
  project: text,
  direction: oneOf(["away", "here"] as const),
  other: text,
  zones: records(record<{ readonly zone: ZoneId }>({ zone })),
});

const MOVES: Codec<Moves> = record<Moves>(
  { projects: records(MOVING) },
  { format: "zoneform-moves", version: VERSION },
);

/** The mark of a project, among those of all projects of the place. */
export function markOf(stores: StateStores, project: string, contender: Contender): ProjectMark {
  const what = `the list of moved projects at ${stores.describe()}`;
  const moves = sharedValue<Moves>(
    stores.shared("moves"),
    {
      codec: MOVES,
      empty: { projects: [] },
      what,
      damage: {
        code: "record-damaged",
        message: `${what} is damaged`,
        remedy: "restore an earlier version of it; or delete it with the claims, and run zoneform state migrate again",
      },
    },
    contender,
  );
  const markIn = ({ projects }: Moves): MovingMark | undefined => {
    const found = projects.find((each) => each.project === project);
    return found && { ...found, zones: found.zones.map((each) => each.zone) };
  };

  return {
    read: async () => markIn(await moves.read()),
    change: (change, stillHeld) =>
      moves.update((all) => {
        const before = markIn(all);
        const mark = change(before);
        if (mark === before) return undefined;
        const own = mark ? [{ ...mark, project, zones: mark.zones.map((each) => ({ zone: each })) }] : [];
        return { projects: [...all.projects.filter((each) => each.project !== project), ...own] };
      }, stillHeld),
  };
}

/** The command that makes a place the one of all commands. */
export function placeCommand(address: string): string {
  return `export ZONEFORM_STATE=${shellQuoted(address)}`;
}

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
