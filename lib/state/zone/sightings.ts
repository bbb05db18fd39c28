import type { ZoneId } from "../../core/brand.ts";
import { streamed } from "../../core/streams.ts";
import type { Engine } from "../engine.ts";
import { StateError } from "../error.ts";
import type { StateStore } from "../store.ts";

type Observing = Pick<StateStore, "observe" | "observations" | "condense" | "recordsNothing">;

/** The observed hostnames of a project. */
export function zoneSightings(engine: Engine, project: string): Observing {
  const { sightings } = engine;
  if (!sightings) return nothing((zone) => engine.describe({ project, zone }));
  return {
    observe: async (zone, lines) => {
      if (lines.length > 0) await sightings.add({ project, zone }, lines);
    },
    observations: (zone) => sightings.lines({ project, zone }),
    condense: (zone, keep) => sightings.condense({ project, zone }, keep),
  };
}

function nothing(describe: (zone: ZoneId) => string): Observing {
  return {
    recordsNothing: true,
    observe: async (zone, lines) => {
      if (lines.length === 0) return;
      throw new StateError({
        code: "state-server",
        message: `${describe(zone)} is only written as a whole and under its lock`,
        remedy: "say --no-record, or choose another engine",
      });
    },
    observations: () => streamed([]),
    condense: async () => undefined,
  };
}
