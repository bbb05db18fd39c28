import { collected } from "../../../core/streams.ts";
import type { Sightings, ZoneKey } from "../../engine.ts";
import type { Connection } from "./driver.ts";
import { explained } from "./failure.ts";
import { type Place, reading, writing } from "./place.ts";
import { isTrueIn, numberIn, onlyRow, type Row, textIn } from "./rows.ts";

/** How many lines one statement reads. */
const LINES_AT_ONCE = 2000;

/** The observed hostnames of a project: rows that anybody with the grant adds, without the lock. */
export function seenRows(place: Place): Sightings {
  const { dial, tables, where } = place;
  const { schema } = tables;

  async function add(connection: Connection, { project, zone }: ZoneKey, lines: readonly string[]): Promise<void> {
    await connection.query(
      `INSERT INTO ${schema}.observations (project, zone, line) SELECT $1, $2, unnest($3::text[])`,
      [project, zone, lines],
    );
  }

  /** A page after a row. */
  async function page(connection: Connection, { project, zone }: ZoneKey, after: number): Promise<readonly Row[]> {
    return connection.query(
      `SELECT key, line FROM ${schema}.observations WHERE project = $1 AND zone = $2 AND key > $3::bigint
        ORDER BY key LIMIT ${LINES_AT_ONCE}`,
      [project, zone, after],
    );
  }

  async function* linesOf(load: (after: number) => Promise<readonly Row[]>): AsyncIterable<string> {
    // What is condensed meanwhile comes once more, under higher keys.
    for (let after = 0; ;) {
      const rows = await load(after);
      for (const row of rows) yield textIn(row, "line");
      const last = rows.at(-1);
      if (!last || rows.length < LINES_AT_ONCE) return;
      after = numberIn(last, "key");
    }
  }

  async function condense(key: ZoneKey, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void> {
    // Not one of the readers' connections: `keep` may want some of them.
    const connection = await dial({ writes: true }).catch((error: unknown) => {
      throw explained(error, where, "written");
    });
    try {
      await tables.make(connection);
      const name = `zoneform observations ${schema} ${key.project} ${key.zone}`;
      const tried = await connection.query("SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken", [name]);
      if (!isTrueIn(onlyRow(tried), "taken")) return;
      // One moment for reading and deleting: what others add meanwhile is not seen, and so not deleted. It is a moment
      // after the lock was taken, or what another process deleted before that would be in it.
      await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await replaceAll(connection, key, keep);
      await connection.query("COMMIT");
      await connection.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [name]);
    } catch (error) {
      throw explained(error, where, "written");
    } finally {
      await connection.close();
    }
  }

  async function replaceAll(
    connection: Connection,
    key: ZoneKey,
    keep: (lines: AsyncIterable<string>) => AsyncIterable<string>,
  ): Promise<void> {
    const kept = await collected(keep(linesOf((after) => page(connection, key, after))));
    await connection.query(`DELETE FROM ${schema}.observations WHERE project = $1 AND zone = $2`, [
      key.project,
      key.zone,
    ]);
    if (kept.length > 0) await add(connection, key, kept);
  }

  return {
    lines: (key) => linesOf((after) => reading(place, [], (connection) => page(connection, key, after))),
    bytes: async ({ project, zone }) => {
      const [row] = await reading(place, [], (connection) =>
        connection.query(
          `SELECT coalesce(sum(octet_length(line) + 1), 0) AS bytes FROM ${schema}.observations
          WHERE project = $1 AND zone = $2`,
          [project, zone],
        ),
      );
      return row ? numberIn(row, "bytes") : 0;
    },
    // If the reply is lost, they are added twice: of two observations the newer one counts, and here they are the same.
    add: (key, lines) => writing(place, (connection) => add(connection, key, lines)),
    condense,
  };
}
