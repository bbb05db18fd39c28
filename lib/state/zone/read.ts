import { problem } from "../../core/problem.ts";
import type { ZoneId } from "../../core/brand.ts";
import { backupName, backupSerials, isCopyName, recordName, recordNames } from "./entries.ts";
import { type Engine, type Entry, entryOf, STATE, type View, type ZoneKey } from "../engine.ts";
import type { StateReader } from "../store.ts";
import type { Upkeep } from "../upkeep.ts";
import { StateError } from "../error.ts";

/** What is read of a zone. `atOnce` is not here: it is such a reader of one view. */
export type ZoneReader = Omit<StateReader, "atOnce"> & Pick<Upkeep, "backup" | "copy" | "looseLines">;

/** Finds the view of a zone: a new one each time, or always the same. `wanted` is what is read of it. */
export type Look = (zone: ZoneId, wanted: "entries" | "journal") => Promise<View>;

/** Reads what a view says, and the lines that it names. */
export function zoneReader(engine: Engine, project: string, look: Look): ZoneReader {
  const keyOf = (zone: ZoneId): ZoneKey => ({ project, zone });

  async function entry(zone: ZoneId, name: string): Promise<Entry | undefined> {
    return entryOf((await look(zone, "entries")).entries, name);
  }

  async function lines(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined> {
    const found = await entry(zone, name);
    return found && linesOf(engine, keyOf(zone), found);
  }

  async function* journal(zone: ZoneId): AsyncIterable<string> {
    yield* engine.journal(keyOf(zone), await look(zone, "journal"));
  }

  async function* state(zone: ZoneId): AsyncIterable<string> {
    yield* (await lines(zone, STATE)) ?? [];
  }

  async function* backup(zone: ZoneId, serial: number): AsyncIterable<string> {
    const found = await lines(zone, backupName(serial));
    if (!found) throw noBackup(engine.describe(keyOf(zone), STATE), serial);
    yield* found;
  }

  return {
    read: async (zone) => {
      const found = await entry(zone, STATE);
      // From where it lies, line by line as the engine gives them: it may have a hundred thousand.
      return found && { version: found.tag, lines: engine.body(keyOf(zone), found) };
    },
    journal,
    kept: async (zone, name) => lines(zone, recordName(name)),
    names: async (zone) => recordNames((await look(zone, "entries")).entries),
    taken: async (zone) => (await look(zone, "entries")).taken,
    isJournalEmpty: async (zone) => (await look(zone, "journal")).isJournalEmpty === true,
    backups: async (zone) => backupSerials((await look(zone, "entries")).entries),
    describe: (zone, part = STATE) => engine.describe(keyOf(zone), part),
    backup,
    copy: async (zone, name) => (isCopyName(name) ? lines(zone, name) : undefined),
    looseLines: (zone, part) => (part === STATE ? state(zone) : journal(zone)),
  };
}

/** The lines of an entry. The first ones are in the view: whoever stops after them asks for nothing. */
export async function* linesOf(engine: Engine, key: ZoneKey, entry: Entry): AsyncIterable<string> {
  yield* entry.start;
  if (entry.isWhole) return;
  let left = entry.start.length;
  for await (const line of engine.body(key, entry)) {
    if (left > 0) left -= 1;
    else yield line;
  }
}

/** There is no earlier snapshot of that serial; `where` names the state. */
export function noBackup(where: string, serial: number): StateError {
  return new StateError(problem("backup-missing", { serial, where }));
}
