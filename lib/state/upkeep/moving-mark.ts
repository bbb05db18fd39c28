import type { ZoneId } from "../../core/brand.ts";
import { type Codec, oneOf, record, records, zone } from "../../core/codec.ts";
import { text } from "../../core/decode.ts";
import { shellQuoted } from "../../core/shell.ts";
import type { StillHeld } from "../claims.ts";
import { type Contender, sharedValue, VERSION } from "../shared-value.ts";
import type { StateStores } from "../stores.ts";

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
        remedy: "restore an earlier version of it; or delete it, and run zoneform state migrate again",
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
