import { collected } from "../../../core/lists.ts";
import type { Sightings, ZoneKey } from "../../engine.ts";
import { type Place, reading, writing } from "./place.ts";
import { numberIn, optionalTextIn, textIn } from "./rows.ts";

/** How many lines one statement reads. */
const LINES_AT_ONCE = 2000;

/** The observed hostnames of a project: rows that every role with the grant can add, without the lock. */
export function seenRows(place: Place): Sightings {
  const table = `${place.tables.schema}.observations`;
  return {
    lines: (key) => linesSeen(place, key),
    bytes: async ({ project, zone }) => {
      const [row] = await reading(place, [], (connection) =>
        connection.query(
          `SELECT coalesce(sum(octet_length(line) + 1), 0) AS bytes FROM ${table} WHERE project = $1 AND zone = $2`,
          [project, zone],
        ),
      );
      return row ? numberIn(row, "bytes") : 0;
    },
    // After a lost reply they are added twice. The newer of two observations counts, and these are the same.
    add: async ({ project, zone }, lines) => {
      await writing(place, (connection) =>
        connection.query(`INSERT INTO ${table} (project, zone, line) SELECT $1, $2, unnest($3::text[])`, [
          project,
          zone,
          lines,
        ]),
      );
    },
    condense: async (key, keep) => {
      const zone = [key.project, key.zone];
      const [row] = await reading(place, [], (connection) =>
        connection.query(`SELECT array_agg(key)::text AS keys FROM ${table} WHERE project = $1 AND zone = $2`, zone),
      );
      const keys = row && optionalTextIn(row, "keys");
      if (keys === undefined) return;
      const kept = await collected(keep(linesSeen(place, key)));
      // Exactly these rows: rows that others add meanwhile stay. If another process condenses them too, the kept rows
      // appear twice.
      await writing(place, (connection) =>
        connection.query(
          `WITH gone AS (DELETE FROM ${table} WHERE key = ANY ($4::bigint[]))
          INSERT INTO ${table} (project, zone, line) SELECT $1, $2, unnest($3::text[])`,
          [...zone, kept, keys],
        ),
      );
    },
  };
}

async function* linesSeen(place: Place, key: ZoneKey): AsyncIterable<string> {
  // Rows that are condensed meanwhile come once more, under higher keys.
  for (let after = 0; ;) {
    const rows = await reading(place, [], (connection) =>
      connection.query(
        `SELECT key, line FROM ${place.tables.schema}.observations
        WHERE project = $1 AND zone = $2 AND key > $3::bigint ORDER BY key LIMIT ${LINES_AT_ONCE}`,
        [key.project, key.zone, after],
      ),
    );
    for (const row of rows) yield textIn(row, "line");
    const last = rows.at(-1);
    if (!last || rows.length < LINES_AT_ONCE) return;
    after = numberIn(last, "key");
  }
}
