import { checkRecordName } from "../record-name.ts";
import type { StateStore } from "../store.ts";
import { linesOfBody } from "./bodies.ts";
import { keysOf } from "./head.ts";
import { type Place, sessionOf } from "./place.ts";
import { readHead } from "./stored-head.ts";

/** The records beside the states of a project. */
export function recordObjects(place: Place, project: string): Pick<StateStore, "keep" | "kept" | "names" | "discard"> {
  return {
    keep: async (zone, lease, name, lines) => {
      checkRecordName(name);
      const session = sessionOf(place, project, zone, lease);
      const body = await session.stage(lines);
      await session.change((head) => ({
        ...head,
        records: [...head.records.filter((each) => each.name !== name), { name, body }],
      }));
    },

    kept: async (zone, name) => {
      checkRecordName(name);
      const keys = keysOf(project, zone);
      const found = (await readHead(place, keys))?.records.find((each) => each.name === name);
      return found && linesOfBody(place, keys, found.body);
    },

    names: async (zone) => {
      const head = await readHead(place, keysOf(project, zone));
      return (head?.records ?? []).map(({ name }) => name).sort();
    },

    discard: async (zone, lease, name) => {
      checkRecordName(name);
      await sessionOf(place, project, zone, lease).change((head) => ({
        ...head,
        records: head.records.filter((each) => each.name !== name),
      }));
    },
  };
}
