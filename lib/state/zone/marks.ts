import { type DiagnosticDetails, problem } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { type Codec, oneOf, struct, structs, zone } from "../../core/codec.ts";
import { text } from "../../core/decode.ts";
import { shellQuoted } from "../../core/quote.ts";
import { streamed } from "../../core/lists.ts";
import { type Engine, entryOf, STATE, type View, type ZoneKey } from "../engine.ts";
import { placeError, type StateError } from "../error.ts";
import type { Lease } from "../lock.ts";
import type { StateStores } from "../stores.ts";
import type { LeaseCheck } from "./claims.ts";
import { roleOf } from "./view.ts";
import { type Contender, sharedValue, VERSION } from "./shared-value.ts";

/**
 * A place's mark of a project that moves: the states of these zones are at `other` (`away`), or are on their way from
 * there (`here`; without zones while the move is not complete). A project has at most one mark for all its zones, so
 * one read answers for all of them.
 */
export interface MovingMark {
  readonly direction: "away" | "here";
  /** The address of the other place, without a password. */
  readonly other: string;
  readonly zones: readonly ZoneId[];
}

/** Reads and changes the mark of a project at a place. */
export interface ProjectMark {
  /** Undefined if the project does not move. Throws `StateError` if it cannot be read. */
  read(): Promise<MovingMark | undefined>;
  /** Replaces it in one step. Throws what `checkLease` throws. */
  change(change: (mark: MovingMark | undefined) => MovingMark | undefined, checkLease?: LeaseCheck): Promise<void>;
}

interface Moving extends Omit<MovingMark, "zones"> {
  readonly project: string;
  readonly zones: readonly { readonly zone: ZoneId }[];
}

interface Moves {
  readonly projects: readonly Moving[];
}

const MOVING: Codec<Moving> = struct<Moving>({
  project: text,
  direction: oneOf(["away", "here"] as const),
  other: text,
  zones: structs(struct<{ readonly zone: ZoneId }>({ zone })),
});

const MOVES: Codec<Moves> = struct<Moves>(
  { projects: structs(MOVING) },
  { format: "zoneform-moves", version: VERSION },
);

/** The mark of a project, among those of all projects of the place. */
export function markOf(place: Pick<Engine, "shared" | "describe">, project: string, contender: Contender): ProjectMark {
  const what = `the list of moved projects at ${place.describe()}`;
  const moves = sharedValue<Moves>(
    place.shared("moves"),
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
    change: (change, checkLease) =>
      moves.update((all) => {
        const before = markIn(all);
        const mark = change(before);
        if (mark === before) return undefined;
        const own = mark ? [{ ...mark, project, zones: mark.zones.map((each) => ({ zone: each })) }] : [];
        return { projects: [...all.projects.filter((each) => each.project !== project), ...own] };
      }, checkLease),
  };
}

/**
 * Stores that refuse a state that was moved elsewhere, or whose move to here is not complete. A command that still has
 * the old address must not start a second state.
 */
export function refusingMoved(stores: StateStores, contender: Contender): StateStores {
  return stores.over((engine) => {
    const guards = new Map<string, Guard>();
    const guardOf = ({ project }: ZoneKey): Guard => {
      const guard = guards.get(project) ?? new Guard(markOf(engine, project, contender), engine.describe());
      guards.set(project, guard);
      return guard;
    };
    return {
      ...engine,
      view: async (key) => {
        const view = await engine.view(key);
        await guardOf(key).checkRead(key.zone, view);
        return view;
      },
      lock: async (key, holder, waitMilliseconds, signal) => {
        const { lease, view } = await engine.lock(key, holder, waitMilliseconds, signal);
        const release = await guardOf(key).hold(key.zone, view, lease);
        return { lease: { ...lease, release }, view };
      },
      // A move may have begun since this zone was locked. The move looks for new states after it has written its mark,
      // and we look for the mark after we have written a state, so one of us sees the other.
      commit: async (key, lease, changes) => {
        const view = await engine.commit(key, lease, changes);
        const isFirst = changes.expect?.name === STATE && changes.expect.tag === undefined;
        if (isFirst) await guardOf(key).checkBegun(key.zone, () => withdraw(engine, key, lease, view));
        return view;
      },
    };
  });
}

/** Withdraws the first state of a zone before anything depends on it. Copies of what was removed earlier stay. */
async function withdraw(engine: Engine, key: ZoneKey, lease: Lease, { entries }: View): Promise<void> {
  const goes = entries.filter((entry) => roleOf(entry).role !== "set-aside");
  await engine.commit(key, lease, { remove: goes.map(({ name }) => name), journal: streamed([]) });
}

/** Refuses the states of one project that its mark says are elsewhere. */
class Guard {
  private readonly mark: ProjectMark;
  private readonly place: string;
  /** One read answers for all zones of a command; each lock reads again. */
  private known: Promise<MovingMark | undefined> | undefined;
  /** The zones that we hold: nobody can move them meanwhile. */
  private readonly locked = new Set<ZoneId>();

  constructor(mark: ProjectMark, place: string) {
    this.mark = mark;
    this.place = place;
  }

  async checkRead(zone: ZoneId, view: View): Promise<void> {
    if (!this.locked.has(zone)) this.refuse(await (this.known ?? this.readAgain()), zone, hasState(view));
  }

  async checkBegun(zone: ZoneId, takeBack: () => Promise<void>): Promise<void> {
    try {
      this.refuse(await this.readAgain(), zone, false);
    } catch (thrown) {
      await takeBack().catch(() => undefined);
      throw thrown;
    }
  }

  /** Returns a function that gives the lease back. */
  async hold(zone: ZoneId, view: View, lease: Lease): Promise<() => Promise<void>> {
    try {
      this.refuse(await this.readAgain(), zone, hasState(view));
    } catch (thrown) {
      await lease.release().catch(() => undefined);
      throw thrown;
    }
    this.locked.add(zone);
    return async () => {
      this.locked.delete(zone);
      await lease.release();
    };
  }

  private readAgain(): Promise<MovingMark | undefined> {
    const read = this.mark.read();
    this.known = read;
    read.catch(() => (this.known = undefined));
    return read;
  }

  /**
   * A project moves as a whole: a zone without a state before the move gets none at the old place. If it got its state
   * just before the mark was written, the move takes it along.
   */
  private refuse(mark: MovingMark | undefined, zone: ZoneId, isThere: boolean): void {
    if (mark && (mark.zones.includes(zone) || !isThere)) throw refused(this.place, mark);
  }
}

function hasState({ entries }: View): boolean {
  return entryOf(entries, STATE) !== undefined;
}

/** Throws `StateError` if the zone's state was moved elsewhere. What is left here says where it is, and has to stay. */
export function refuseMovedAway(mark: MovingMark | undefined, zone: ZoneId, place: string): void {
  if (mark?.direction === "away" && mark.zones.includes(zone)) throw refused(place, mark);
}

function refused(place: string, { direction, other }: MovingMark): StateError {
  return placeError(direction === "away" ? movedAway(place, other) : problem("state-arriving", { place, other }));
}

/** That the states are elsewhere now, with the command that makes the new place the one for all commands. */
export function movedAway(place: string, other: string): DiagnosticDetails {
  return problem("state-moved", { place, other, address: shellQuoted(other) });
}
