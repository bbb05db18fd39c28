import type { View } from "../../engine.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, type Row, textIn } from "./rows.ts";
import type { Session } from "./session.ts";

/** How many lines one statement reads. */
const LINES_AT_ONCE = 2000;

/** The lines of the journal of a view: a row for each, so that a record costs the same whatever the state's size. */
export async function* linesOfJournal(place: Place, { journal }: View): AsyncIterable<string> {
  if (journal === "") return;
  const [zone = "", number = ""] = journal.split("/");
  let last: Row | undefined;
  do {
    const after = [last ? numberIn(last, "epoch") : 0, last ? numberIn(last, "seq") : 0];
    const page: readonly Row[] = await reading(place, [], (connection) =>
      connection.query(
        `SELECT epoch, seq, line FROM ${place.tables.schema}.journal WHERE zone = $1::bigint AND number = $2::bigint
          AND (epoch, seq) > ($3::bigint, $4::bigint) ORDER BY epoch, seq LIMIT ${LINES_AT_ONCE}`,
        [zone, number, ...after],
      ),
    );
    for (const row of page) yield textIn(row, "line");
    last = page.length < LINES_AT_ONCE ? undefined : page.at(-1);
  } while (last);
}

/** Adds lines in one statement: they are all there, or none is. */
export async function append({ tables: { schema } }: Place, session: Session, lines: readonly string[]): Promise<void> {
  const { confirmed, zoneKey, epoch } = session;
  const before = confirmed.seq;
  await session.send({
    statement: `added AS (INSERT INTO ${schema}.journal (zone, number, epoch, seq, line)
      SELECT held.key, held.journal, held.epoch, $3::bigint + t.number, line
      FROM held, unnest($4::text[]) WITH ORDINALITY AS t (line, number))
      SELECT count(*) AS held FROM held`,
    values: [before, lines],
    answer: () => undefined,
    found: async (connection) => {
      const [row] = await connection.query(
        `SELECT max(seq) AS last FROM ${schema}.journal j JOIN ${schema}.zones z ON z.key = j.zone AND z.journal = j.number
        WHERE j.zone = $1 AND j.epoch = $2`,
        [zoneKey, epoch],
      );
      return Number(row?.["last"] ?? 0) >= before + lines.length && lines.length > 0 ? null : undefined;
    },
  });
  confirmed.seq = before + lines.length;
}

/** Throws unless the lock is held. */
export function checkHeld(session: Session): Promise<void> {
  return session.send({
    statement: "one AS (SELECT 1) SELECT count(*) AS held FROM held",
    values: [],
    answer: () => undefined,
  });
}
