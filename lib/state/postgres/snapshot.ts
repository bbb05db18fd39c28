import { KEPT_BACKUPS } from "../kept-backups.ts";
import { replacedMeanwhile } from "../replaced.ts";
import type { StateStore } from "../store.ts";
import { unlessRefused } from "../unless-refused.ts";
import { linesOfBody, REPLACED_STAYS, stageBody } from "./bodies.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, textIn } from "./rows.ts";
import type { Session } from "./session.ts";

/** The snapshots of a project. */
export function snapshots(place: Place): Pick<StateStore, "read" | "write"> {
  const { project, sessionOf, tables } = place;
  const { schema } = tables;

  return {
    read: async (zone) => {
      const [row] = await reading(place, [], (connection) =>
        connection.query(
          `SELECT b.key, b.sha256, b.chunks FROM ${schema}.zones z JOIN ${schema}.bodies b ON b.key = z.snapshot
          WHERE project = $1 AND zone = $2`,
          [project, zone],
        ),
      );
      if (!row) return undefined;
      return { version: textIn(row, "sha256"), lines: linesOfBody(place, textIn(row, "key"), numberIn(row, "chunks")) };
    },

    write: async (zone, lease, expected, lines) => {
      const session = sessionOf(zone, lease);
      // Before the lines are sent, because that may take long.
      await checkExpected(session, expected);
      const body = await stageBody(place, session, lines);
      const done = await session.replacing(() => publish(session, body.key, expected ?? null, body.serial));
      if (!done) throw replacedMeanwhile();
      // The snapshot is stored; what stays behind is removed by the next write.
      await unlessRefused(removeOld(session));
      return body.sha256;
    },
  };

  async function checkExpected(session: Session, expected: string | undefined): Promise<void> {
    const isExpected = await session.send({
      statement: `stored AS (SELECT sha256 FROM ${schema}.bodies WHERE key = (SELECT snapshot FROM held))
        SELECT (SELECT count(*) FROM held) AS held,
          ((SELECT sha256 FROM stored) IS NOT DISTINCT FROM $3::text)::integer AS fits`,
      values: [expected ?? null],
      answer: (row) => numberIn(row, "fits") === 1,
    });
    if (!isExpected) throw replacedMeanwhile();
  }

  /** In one statement: the new snapshot, the old one as a backup, the highest serial, an empty journal. */
  async function publish(session: Session, key: string, expected: string | null, serial: number): Promise<boolean> {
    const isDone = await session.send({
      statement: `fitting AS (SELECT held.key, held.snapshot, b.serial FROM held
          LEFT JOIN ${schema}.bodies b ON b.key = held.snapshot WHERE b.sha256 IS NOT DISTINCT FROM $4::text),
        loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN (SELECT body FROM ${schema}.backups p
          WHERE (p.zone, p.serial) IN (SELECT key, serial FROM fitting))),
        kept AS (INSERT INTO ${schema}.backups (zone, serial, body)
          SELECT key, serial, snapshot FROM fitting WHERE snapshot IS NOT NULL
          ON CONFLICT (zone, serial) DO UPDATE SET body = excluded.body),
        fixed AS (UPDATE ${schema}.bodies SET loose_since = NULL WHERE key = $3::uuid AND EXISTS (SELECT FROM fitting)),
        emptied AS (DELETE FROM ${schema}.journal WHERE zone IN (SELECT key FROM fitting)),
        moved AS (UPDATE ${schema}.zones SET snapshot = $3::uuid, serial = greatest(serial, $5::bigint)
          WHERE key IN (SELECT key FROM fitting) RETURNING 1)
        SELECT (SELECT count(*) FROM held) AS held, (SELECT count(*) FROM moved) AS moved`,
      values: [key, expected, serial],
      answer: (row) => numberIn(row, "moved") === 1,
      found: async (connection) => {
        const rows = await connection.query(`SELECT 1 FROM ${schema}.zones WHERE key = $1 AND snapshot = $2::uuid`, [
          session.zoneKey,
          key,
        ]);
        return rows.length > 0 ? true : undefined;
      },
    });
    if (isDone) Object.assign(session.confirmed, { snapshot: key, seq: 0 });
    return isDone;
  }

  /** Removes the oldest backups, and bodies that nothing names any more: those of dead runs too. */
  async function removeOld(session: Session): Promise<void> {
    await session.send({
      statement: `old AS (DELETE FROM ${schema}.backups p WHERE zone IN (SELECT key FROM held) AND serial NOT IN (
          SELECT serial FROM ${schema}.backups WHERE zone = p.zone ORDER BY serial DESC LIMIT ${KEPT_BACKUPS}) RETURNING body),
        loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE key IN (SELECT body FROM old)),
        gone AS (DELETE FROM ${schema}.bodies b WHERE loose_since < now() - ${REPLACED_STAYS}
          AND NOT EXISTS (SELECT FROM ${schema}.zones WHERE snapshot = b.key)
          AND NOT EXISTS (SELECT FROM ${schema}.backups WHERE body = b.key)
          AND NOT EXISTS (SELECT FROM ${schema}.records WHERE body = b.key)
          AND NOT EXISTS (SELECT FROM ${schema}.copies WHERE body = b.key))
        SELECT count(*) AS held FROM held`,
      values: [],
      answer: () => undefined,
    });
  }
}
