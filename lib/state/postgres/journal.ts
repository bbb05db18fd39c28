import type { ZoneId } from "../../core/brand.ts";
import { collected } from "../../core/streams.ts";
import type { StateStore } from "../store.ts";
import type { Upkeep } from "../upkeep.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, onlyRow, type Row, textIn } from "./rows.ts";
import type { Session } from "./session.ts";

/** How many lines one statement reads. */
const LINES_AT_ONCE = 2000;

/** The journals of a project: a row for each line, so that a record costs the same whatever the state's size. */
export function journals(
  place: Place,
): Pick<StateStore, "append" | "checkHeld" | "journal"> & Pick<Upkeep, "rewriteJournal"> {
  const { project, sessionOf, tables } = place;
  const { schema } = tables;

  /** All lines in one statement: they are all there, or none is. */
  async function add(session: Session, lines: readonly string[], isInstead: boolean): Promise<void> {
    const { confirmed, zoneKey, epoch } = session;
    const before = confirmed.seq;
    const emptied = `emptied AS (DELETE FROM ${schema}.journal WHERE zone IN (SELECT key FROM held)), `;
    await session.send({
      statement: `${isInstead ? emptied : ""}added AS (INSERT INTO ${schema}.journal (zone, epoch, seq, line)
        SELECT held.key, held.epoch, $3::bigint + number, line
        FROM held, unnest($4::text[]) WITH ORDINALITY AS t (line, number))
        SELECT count(*) AS held FROM held`,
      values: [before, lines],
      answer: () => undefined,
      found: async (connection) => {
        const [row] = await connection.query(
          `SELECT max(seq) AS last FROM ${schema}.journal WHERE zone = $1 AND epoch = $2`,
          [zoneKey, epoch],
        );
        return Number(row?.["last"] ?? 0) >= before + lines.length && lines.length > 0 ? null : undefined;
      },
    });
    confirmed.seq = before + lines.length;
  }

  async function* journal(zone: ZoneId): AsyncIterable<string> {
    const rows = await reading(place, [], (connection) =>
      connection.query(
        `SELECT j.epoch, j.seq, j.line, last_value(j.epoch) OVER whole AS last_epoch, last_value(j.seq) OVER whole AS last_seq
        FROM ${schema}.journal j JOIN ${schema}.zones z ON z.key = j.zone WHERE z.project = $1 AND z.zone = $2
        WINDOW whole AS (ORDER BY j.epoch, j.seq ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        ORDER BY j.epoch, j.seq LIMIT ${LINES_AT_ONCE}`,
        [project, zone],
      ),
    );
    for (let page = rows; page.length > 0; page = await nextPage(zone, page, rows))
      for (const row of page) yield textIn(row, "line");
  }

  /** Up to the line that was the last one at the first page: later ones may belong to another journal. */
  async function nextPage(zone: ZoneId, page: readonly Row[], first: readonly Row[]): Promise<readonly Row[]> {
    const [last, bound] = [page.at(-1), first[0]];
    if (!last || !bound || page.length < LINES_AT_ONCE) return [];
    return reading(place, [], (connection) =>
      connection.query(
        `SELECT j.epoch, j.seq, j.line FROM ${schema}.journal j JOIN ${schema}.zones z ON z.key = j.zone
        WHERE z.project = $1 AND z.zone = $2 AND (j.epoch, j.seq) > ($3::bigint, $4::bigint)
          AND (j.epoch, j.seq) <= ($5::bigint, $6::bigint) ORDER BY j.epoch, j.seq LIMIT ${LINES_AT_ONCE}`,
        [
          project,
          zone,
          numberIn(last, "epoch"),
          numberIn(last, "seq"),
          numberIn(bound, "last_epoch"),
          numberIn(bound, "last_seq"),
        ],
      ),
    );
  }

  return {
    append: async (zone, lease, lines) => {
      if (lines.length === 0) return checkHeld(sessionOf(zone, lease));
      return add(sessionOf(zone, lease), lines, false);
    },
    checkHeld: async (zone, lease) => checkHeld(sessionOf(zone, lease)),
    journal,
    rewriteJournal: async (zone, lease, lines) => {
      const session = sessionOf(zone, lease);
      const all = await collected(lines);
      await session.replacing(() => add(session, all, true));
      if (all.length === 0) session.confirmed.seq = 0;
    },
  };

  function checkHeld(session: Session): Promise<void> {
    return session.send({
      statement: "one AS (SELECT 1) SELECT count(*) AS held FROM held",
      values: [],
      answer: (row) => void onlyRow([row]),
    });
  }
}
