import { checkRecordName } from "../record-name.ts";
import type { StateStore } from "../store.ts";
import { linesOfBody, stageBody } from "./bodies.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, textIn } from "./rows.ts";

/** The records beside the states of a project. */
export function records(place: Place): Pick<StateStore, "keep" | "kept" | "names" | "discard"> {
  const { project, sessionOf, tables } = place;
  const { schema } = tables;

  return {
    keep: async (zone, lease, name, lines) => {
      checkRecordName(name);
      const session = sessionOf(zone, lease);
      const body = await stageBody(place, session, lines);
      await session.send({
        statement: `loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN
            (SELECT body FROM ${schema}.records WHERE zone IN (SELECT key FROM held) AND name = $3) AND key <> $4::uuid),
          fixed AS (UPDATE ${schema}.bodies SET loose_since = NULL WHERE key = $4::uuid AND EXISTS (SELECT FROM held)),
          kept AS (INSERT INTO ${schema}.records (zone, name, body) SELECT key, $3, $4::uuid FROM held
            ON CONFLICT (zone, name) DO UPDATE SET body = excluded.body)
          SELECT count(*) AS held FROM held`,
        values: [name, body.key],
        answer: () => undefined,
      });
    },

    kept: async (zone, name) => {
      checkRecordName(name);
      const [row] = await reading(place, [], (connection) =>
        connection.query(
          `SELECT b.key, b.chunks FROM ${schema}.zones z JOIN ${schema}.records r ON r.zone = z.key
          JOIN ${schema}.bodies b ON b.key = r.body WHERE z.project = $1 AND z.zone = $2 AND r.name = $3`,
          [project, zone, name],
        ),
      );
      return row && linesOfBody(place, textIn(row, "key"), numberIn(row, "chunks"));
    },

    names: async (zone) => {
      const rows = await reading(place, [], (connection) =>
        connection.query(
          `SELECT r.name FROM ${schema}.zones z JOIN ${schema}.records r ON r.zone = z.key
          WHERE z.project = $1 AND z.zone = $2 ORDER BY r.name COLLATE "C"`,
          [project, zone],
        ),
      );
      return rows.map((row) => textIn(row, "name"));
    },

    discard: async (zone, lease, name) => {
      checkRecordName(name);
      await sessionOf(zone, lease).send({
        statement: `gone AS (DELETE FROM ${schema}.records WHERE zone IN (SELECT key FROM held) AND name = $3 RETURNING body),
          loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN (SELECT body FROM gone))
          SELECT count(*) AS held FROM held`,
        values: [name],
        answer: () => undefined,
      });
    },
  };
}
