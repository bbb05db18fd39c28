import { collected } from "../../core/streams.ts";
import type { Engine } from "../engine.ts";
import type { StateStore } from "../store.ts";

/** The observed hostnames of a project. */
export function zoneSightings(
  { sightings }: Engine,
  project: string,
): Pick<StateStore, "observe" | "observations" | "condense"> {
  return {
    observe: async (zone, lines) => {
      if (lines.length > 0) await sightings.add({ project, zone }, lines);
    },
    observations: async function* (zone) {
      yield* (await sightings.read({ project, zone })).lines;
    },
    condense: async (zone, keep) => {
      const seen = await sightings.read({ project, zone });
      await sightings.replace({ project, zone }, seen.mark, await collected(keep(seen.lines)));
    },
  };
}
