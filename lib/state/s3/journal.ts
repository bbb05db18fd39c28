import type { ZoneId } from "../../core/brand.ts";
import type { StateStore } from "../store.ts";
import type { Upkeep } from "../upkeep.ts";
import { chunksOf } from "./chunks.ts";
import { keysOf } from "./head.ts";
import { type Place, sessionOf } from "./place.ts";
import { linesOfSegment, segmentsOf } from "./segments.ts";
import { readHead } from "./stored-head.ts";

/** The journals of a project: objects that are created once, so that two holders can never both add the next one. */
export function journals(
  place: Place,
  project: string,
): Pick<StateStore, "append" | "checkHeld" | "journal"> & Pick<Upkeep, "rewriteJournal"> {
  async function* journal(zone: ZoneId): AsyncIterable<string> {
    const keys = keysOf(project, zone);
    const head = await readHead(place, keys);
    if (!head) return;
    for await (const { bytes } of segmentsOf(place, keys, head.journal)) yield* linesOfSegment(bytes);
  }

  return {
    append: async (zone, lease, lines) => {
      const session = sessionOf(place, project, zone, lease);
      return lines.length === 0 ? session.checkHeld() : session.append(lines);
    },
    checkHeld: async (zone, lease) => sessionOf(place, project, zone, lease).checkHeld(),
    journal,
    rewriteJournal: async (zone, lease, lines) => {
      const session = sessionOf(place, project, zone, lease);
      const keys = keysOf(project, zone);
      await session.withJournal(async () => {
        const name = session.newName();
        let segments = 0;
        for await (const chunk of chunksOf(lines)) {
          await session.putSegment(keys.segment(name, segments), chunk);
          segments += 1;
        }
        await session.change((head) => ({ ...head, journal: { name, segments } }));
      });
    },
  };
}
