import { isHexId, zoneId } from "../../../core/brand.ts";
import { type Engine, type ListedZone, STATE } from "../../engine.ts";
import { linesOfBody } from "./bodies.ts";
import { commit } from "./commit.ts";
import { append, checkHeld, linesOfJournal } from "./journal.ts";
import { locks } from "./lock.ts";
import { type Place, reading, sessionOf } from "./place.ts";
import { isTrueIn, textIn } from "./rows.ts";
import { sharedRow } from "./shared.ts";
import { seenRows } from "./sightings.ts";
import { NOTHING, viewOf } from "./view.ts";
import { checkWritable } from "./writable.ts";

/**
 * States in the tables of a schema. A session lock of the server says who holds a zone, and the epoch in its row who may
 * write: each statement of a holder checks it. `path` is the schema as a path, for messages.
 */
export function postgresEngine(place: Place, path: string): Engine {
  const { line, readers, sessions, tables, where } = place;
  return {
    ...locks(place),
    zones: () => listZones(place),
    view: (key) => reading(place, NOTHING, (connection) => viewOf(connection, tables.schema, key)),
    body: (_key, entry) => linesOfBody(place, entry),
    journal: (_key, view) => linesOfJournal(place, view),
    commit: async (key, lease, changes) => commit(place, key, sessionOf(place, key, lease), changes),
    append: async (key, lease, lines) => {
      const session = sessionOf(place, key, lease);
      return lines.length === 0 ? checkHeld(session) : append(place, session, lines);
    },
    sightings: seenRows(place),
    shared: (name) => sharedRow(place, name),
    check: () => checkWritable(place),
    describe: (key, name = STATE) => (key ? `${path}/${key.project}/${key.zone}.${name}` : where),
    close: async () => {
      await Promise.all([...sessions.values()].map((session) => session.abandon()));
      sessions.clear();
      await Promise.all([line.close(), readers.close()]);
    },
  };
}

/** The zones that have anything, in one statement; of those without a state and a journal nobody knows what it is. */
async function listZones(place: Place): Promise<readonly ListedZone[]> {
  const { schema } = place.tables;
  const rows = await reading(place, [], (connection) =>
    connection.query(`SELECT project, zone, bool_or(is_kept) AS is_kept FROM (
        SELECT project, zone, EXISTS (SELECT FROM ${schema}.entries WHERE zone = z.key AND name = '${STATE}')
          OR EXISTS (SELECT FROM ${schema}.journal WHERE zone = z.key AND number = z.journal) AS is_kept
        FROM ${schema}.zones z WHERE EXISTS (SELECT FROM ${schema}.entries WHERE zone = z.key)
          OR EXISTS (SELECT FROM ${schema}.journal WHERE zone = z.key AND number = z.journal)
        UNION ALL SELECT DISTINCT project, zone, true FROM ${schema}.observations) AS found GROUP BY project, zone`),
  );
  return rows.flatMap((row): ListedZone[] => {
    const [project, zone] = [textIn(row, "project"), textIn(row, "zone")];
    if (!isHexId(zone)) return [];
    return [{ project, zone: zoneId(zone), ...(isTrueIn(row, "is_kept") ? { isKept: true } : {}) }];
  });
}
