import type { Shared } from "../../engine.ts";
import { type Place, reading, writing } from "./place.ts";
import { numberIn, optionalTextIn } from "./rows.ts";

/** A text of the place: a row that is replaced in one statement. */
export function sharedRow(place: Place, name: string): Shared {
  const { clock, random, tables } = place;
  const { schema } = tables;
  return {
    get: async () => {
      const [row] = await reading(place, [], (connection) =>
        connection.query(
          `SELECT s.text, s.tag, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
          FROM (SELECT) AS one LEFT JOIN ${schema}.shared s ON s.name = $1`,
          [name],
        ),
      );
      if (!row) return { text: undefined, tag: undefined, now: clock.now() };
      return { text: optionalTextIn(row, "text"), tag: optionalTextIn(row, "tag"), now: numberIn(row, "now") };
    },
    replace: (tag, text, signal) => {
      // The same at each attempt: after a lost reply, it is there already.
      const next = random.uuid();
      return writing(
        place,
        async (connection) => {
          const rows = await connection.query(
            tag === undefined
              ? `INSERT INTO ${schema}.shared AS s (name, tag, text) VALUES ($1, $2::uuid, $3)
                ON CONFLICT (name) DO UPDATE SET tag = s.tag WHERE s.tag = $2::uuid RETURNING 1`
              : `UPDATE ${schema}.shared SET tag = $2::uuid, text = $3 WHERE name = $1 AND tag IN ($2::uuid, $4::uuid)
                RETURNING 1`,
            tag === undefined ? [name, next, text] : [name, next, text, tag],
          );
          return rows.length > 0;
        },
        signal,
      );
    },
  };
}
