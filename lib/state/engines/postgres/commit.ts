import { collected } from "../../../core/streams.ts";
import { type Changes, type Entry, entryOf, JOURNAL, STATE, type View, type ZoneKey } from "../../engine.ts";
import { decodeHolder } from "../../holder.ts";
import { replacedMeanwhile } from "../../replaced.ts";
import { unlessRefused } from "../../unless-refused.ts";
import { REPLACED_STAYS, stageBody, stageJournal } from "./bodies.ts";
import type { Connection } from "./driver.ts";
import type { Place } from "./place.ts";
import { numberIn, objectIn, type Row } from "./rows.ts";
import type { Session } from "./session.ts";
import { bodyOf, entriesIn, shown, viewOf } from "./view.ts";

/** Stores all lines, which nothing names yet; then one statement names them, and nothing of what was before. */
export async function commit(place: Place, key: ZoneKey, session: Session, changes: Changes): Promise<View> {
  const made: Entry[] = [];
  for (const [name, lines] of changes.put ?? []) made.push(await stageBody(place, session, name, lines));
  for (const [name, source] of changes.copy ?? [])
    if (source === JOURNAL) made.push(...(await stageJournal(place, session, name)));
  const journal = changes.journal && (await collected(changes.journal));
  const publishing = (): Promise<View | undefined> =>
    publish(place, key, session, { ...changes, made, lines: journal });
  const view = await (journal || made.some(({ name }) => name === STATE)
    ? session.replacing(publishing)
    : publishing());
  if (!view) throw replacedMeanwhile();
  const state = entryOf(view.entries, STATE);
  session.confirmed.state = state && bodyOf(state).key;
  if (journal) session.confirmed.seq = journal.length;
  // What stays behind is removed by the next write of the state.
  if (changes.put?.has(STATE)) await unlessRefused(removeOld(place, session));
  return view;
}

interface Publishing extends Omit<Changes, "put" | "journal"> {
  readonly made: readonly Entry[];
  readonly lines: readonly string[] | undefined;
}

/** Undefined, and nothing changes, unless the entries are as expected. */
async function publish(
  { tables: { schema } }: Place,
  key: ZoneKey,
  session: Session,
  { expect, copy, remove = [], made, lines }: Publishing,
): Promise<View | undefined> {
  const copies = [...(copy ?? [])].filter(([, source]) => source !== JOURNAL);
  const puts = [made.map(({ name }) => name), made.map((entry) => bodyOf(entry).key)];
  return session.send({
    statement: `before AS (SELECT e.name, e.body FROM ${schema}.entries e JOIN held ON held.key = e.zone),
      fitting AS (SELECT * FROM held WHERE $3::text IS NULL
        OR (SELECT body FROM before WHERE name = $3)::text IS NOT DISTINCT FROM $4::text),
      put AS (SELECT name, body::uuid FROM unnest($5::text[], $6::text[]) AS t (name, body)),
      newest AS (SELECT name, body FROM put UNION ALL
        SELECT t.name, b.body FROM unnest($7::text[], $8::text[]) AS t (name, source) JOIN before b ON b.name = t.source
        WHERE t.name NOT IN (SELECT name FROM put)),
      after AS (SELECT name, body FROM before WHERE name <> ALL ($9::text[]) AND name NOT IN (SELECT name FROM newest)
        UNION ALL SELECT name, body FROM newest),
      gone AS (DELETE FROM ${schema}.entries WHERE zone IN (SELECT key FROM fitting)
        AND name NOT IN (SELECT name FROM after)),
      stored AS (INSERT INTO ${schema}.entries (zone, name, body) SELECT fitting.key, n.name, n.body FROM fitting, newest n
        ON CONFLICT (zone, name) DO UPDATE SET body = excluded.body),
      loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE EXISTS (SELECT FROM fitting)
        AND key IN (SELECT body FROM before EXCEPT SELECT body FROM after)),
      fixed AS (UPDATE ${schema}.bodies SET loose_since = NULL WHERE EXISTS (SELECT FROM fitting)
        AND key IN (SELECT body FROM newest)),
      ended AS (INSERT INTO ${schema}.old_journals (zone, number) SELECT key, journal FROM fitting
        WHERE $10::text[] IS NOT NULL ON CONFLICT DO NOTHING),
      added AS (INSERT INTO ${schema}.journal (zone, number, epoch, seq, line)
        SELECT f.key, f.journal + 1, f.epoch, t.seq, t.line
        FROM fitting f, unnest($10::text[]) WITH ORDINALITY AS t (line, seq)),
      moved AS (UPDATE ${schema}.zones z SET journal = z.journal + ($10::text[] IS NOT NULL)::integer,
        serial = coalesce((SELECT greatest(z.serial, b.serial) FROM after a JOIN ${schema}.bodies b ON b.key = a.body
          WHERE a.name = '${STATE}'), 0)
        WHERE z.key IN (SELECT key FROM fitting) RETURNING z.holder, z.serial, z.journal)
      SELECT (SELECT count(*) FROM held) AS held, (SELECT count(*) FROM moved) AS moved,
        (SELECT serial FROM moved) AS serial, (SELECT journal FROM moved) AS journal,
        (SELECT holder::text FROM moved) AS holder, ${shown(schema, "SELECT name, body FROM after")} AS shown`,
    values: [
      expect?.name ?? null,
      expect?.tag === undefined ? null : bodyOf({ tag: expect.tag }).key,
      ...puts,
      copies.map(([name]) => name),
      copies.map(([, source]) => source),
      remove,
      lines ?? null,
    ],
    answer: (row) => (numberIn(row, "moved") === 1 ? viewIn(session, row) : undefined),
    found: (connection) => findDone(connection, schema, key, made),
  });
}

function viewIn(session: Session, row: Row): View {
  const holder = decodeHolder(objectIn(row, "holder"));
  return {
    entries: entriesIn(row, "shown"),
    journal: `${session.zoneKey}/${numberIn(row, "journal")}`,
    taken: holder && { holder, serial: numberIn(row, "serial") },
  };
}

/** After a lost reply: what is there now, if what was made is part of it. A change that makes nothing may be repeated. */
async function findDone(
  connection: Connection,
  schema: string,
  key: ZoneKey,
  made: readonly Entry[],
): Promise<View | undefined> {
  if (made.length === 0) return undefined;
  const view = await viewOf(connection, schema, key);
  return made.every(({ name, tag }) => entryOf(view.entries, name)?.tag === tag) ? view : undefined;
}

/** Removes journals that ended, and bodies that nothing names any more: those of dead runs too. */
async function removeOld({ tables: { schema } }: Place, session: Session): Promise<void> {
  await session.send({
    statement: `old AS (DELETE FROM ${schema}.old_journals WHERE zone IN (SELECT key FROM held)
        AND since < now() - ${REPLACED_STAYS} RETURNING zone, number),
      lines AS (DELETE FROM ${schema}.journal j USING old WHERE j.zone = old.zone AND j.number = old.number),
      gone AS (DELETE FROM ${schema}.bodies b WHERE loose_since < now() - ${REPLACED_STAYS}
        AND NOT EXISTS (SELECT FROM ${schema}.entries WHERE body = b.key))
      SELECT count(*) AS held FROM held`,
    values: [],
    answer: () => undefined,
  });
}
