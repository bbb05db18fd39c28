import { collected } from "../../../core/lists.ts";
import {
  type Changes,
  type Entry,
  entryOf,
  JOURNAL,
  noting,
  REPLACED_STAYS_MILLISECONDS,
  replacedMeanwhile,
  serialOf,
  STATE,
  type View,
  type ZoneKey,
} from "../../engine.ts";
import { StoreConflict } from "../../lock.ts";
import type { Place } from "./place.ts";
import { isTrueIn, numberIn } from "./rows.ts";
import type { Session } from "./session.ts";
import { bodyOf, stateBody, viewColumns, viewIn, viewOf } from "./view.ts";
import { Refusal } from "../../../core/diagnostic.ts";

/** How many characters a chunk has: a statement for each line would cost more than its bytes. */
const CHUNK_CHARACTERS = 256 * 1024;

/** How long replaced lines stay, for processes that are still reading them. */
const REPLACED_STAYS: string = `interval '${REPLACED_STAYS_MILLISECONDS / 1000} seconds'`;

/**
 * First stores the lines that are too long for one statement, where nothing refers to them. Then one statement stores
 * the rest and switches every reference to the new lines.
 */
export async function commit(place: Place, key: ZoneKey, session: Session, changes: Changes): Promise<View> {
  const made: Entry[] = [];
  for (const [name, lines] of changes.put ?? []) made.push(await stageBody(place, session, name, lines));
  for (const [name, source] of changes.copy ?? [])
    if (source === JOURNAL) made.push(...(await stageJournal(place, session, name)));
  const journal = changes.journal && (await collected(changes.journal));
  const publishing = (): Promise<Published> => publish(place, key, session, { ...changes, made, lines: journal });
  const isReplaced = journal !== undefined || made.some(({ name }) => name === STATE);
  const published = await (isReplaced ? session.replacing(publishing) : publishing());
  session.confirmed.state = stateBody(published.view);
  if (journal) session.confirmed.seq = journal.length;
  if (published.hasOld) await unlessRefused(removeOld(place, session));
  return journal?.length === 0 ? { ...published.view, isJournalEmpty: true } : published.view;
}

/**
 * Stores lines as the chunks of a new body. Nobody sees the body until something refers to it, and the bodies of dead
 * runs are removed later. A few short lines get no chunks: the statement that names the body stores them.
 */
async function stageBody(
  { random, tables: { schema } }: Place,
  session: Session,
  name: string,
  lines: AsyncIterable<string>,
): Promise<Entry> {
  const key = random.uuid();
  const passing = noting(lines);
  let chunks = 0;
  for await (const chunk of chunksOf(passing.lines)) {
    if (passing.noted().isWhole) break;
    await session.send({
      statement: `body AS (INSERT INTO ${schema}.bodies (key, epoch) SELECT $3::uuid, epoch FROM leased
          ON CONFLICT DO NOTHING),
        chunk AS (INSERT INTO ${schema}.chunks (body, number, lines) SELECT $3::uuid, $4::integer, $5 FROM leased
          ON CONFLICT DO NOTHING)
        SELECT count(*) AS leased FROM leased`,
      values: [key, chunks, chunk],
      answer: () => undefined,
    });
    chunks += 1;
  }
  return { name, tag: `${key}/${chunks}`, ...passing.noted() };
}

/** The journal as a body of its own; undefined if it has no lines. */
async function stageJournal(
  { random, tables: { schema } }: Place,
  session: Session,
  name: string,
): Promise<readonly Entry[]> {
  const key = random.uuid();
  const bytes = await session.send({
    statement: `text AS (SELECT leased.epoch, string_agg(line, E'\\n' ORDER BY j.epoch, seq) AS lines
        FROM ${schema}.journal j JOIN leased ON leased.key = j.zone AND leased.journal = j.number GROUP BY leased.epoch),
      body AS (INSERT INTO ${schema}.bodies (key, epoch) SELECT $3::uuid, epoch FROM text ON CONFLICT DO NOTHING),
      chunk AS (INSERT INTO ${schema}.chunks (body, number, lines) SELECT $3::uuid, 0, lines FROM text
        ON CONFLICT DO NOTHING)
      SELECT (SELECT count(*) FROM leased) AS leased, (SELECT coalesce(sum(octet_length(lines) + 1), 0) FROM text) AS bytes`,
    values: [key],
    answer: (row) => numberIn(row, "bytes"),
  });
  return bytes === 0 ? [] : [{ name, tag: `${key}/1`, bytes, start: [], isWhole: false }];
}

/** Joins lines into chunks, at least one line each. */
async function* chunksOf(lines: AsyncIterable<string>): AsyncIterable<string> {
  let chunk: string[] = [];
  let length = 0;
  for await (const line of lines) {
    chunk.push(line);
    length += line.length + 1;
    if (length < CHUNK_CHARACTERS) continue;
    yield chunk.join("\n");
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield chunk.join("\n");
}

interface Publishing extends Omit<Changes, "put" | "journal"> {
  readonly made: readonly Entry[];
  readonly lines: readonly string[] | undefined;
}

interface Published {
  readonly view: View;
  /** Whether some lines were replaced so long ago that no process reads them any more. */
  readonly hasOld: boolean;
}

/**
 * Throws `StoreConflict`, and nothing changes, unless the entries are as expected and every chunk of the new ones is
 * still there. Their bodies are locked first, so that another run's upkeep that deletes them now is seen too.
 */
function publish(
  { tables: { schema } }: Place,
  key: ZoneKey,
  session: Session,
  { expect, copy, remove = [], made, lines }: Publishing,
): Promise<Published> {
  const copies = [...(copy ?? [])].filter(([, source]) => source !== JOURNAL);
  return session.send<Published>({
    statement: `before AS (SELECT e.name, e.body FROM ${schema}.entries e JOIN leased ON leased.key = e.zone),
      put AS (SELECT * FROM jsonb_to_recordset($5::jsonb) AS t (name text, key uuid, chunks integer, bytes bigint,
        serial bigint, start text[], is_whole boolean)),
      staged AS (SELECT b.key FROM put p JOIN ${schema}.bodies b ON b.key = p.key WHERE p.chunks > 0
        AND p.chunks = (SELECT count(*) FROM ${schema}.chunks WHERE body = p.key) FOR NO KEY UPDATE OF b),
      fitting AS (SELECT * FROM leased WHERE ($3::text IS NULL
        OR (SELECT body FROM before WHERE name = $3)::text IS NOT DISTINCT FROM $4::text)
        AND NOT EXISTS (SELECT FROM put WHERE chunks > 0 AND key NOT IN (SELECT key FROM staged))),
      stored AS (INSERT INTO ${schema}.bodies (key, epoch, chunks, bytes, serial, start, is_whole, loose_since)
        SELECT p.key, f.epoch, chunks, bytes, serial, start, is_whole, NULL FROM fitting f, put p
        ON CONFLICT (key) DO UPDATE SET chunks = excluded.chunks, bytes = excluded.bytes, serial = excluded.serial,
          start = excluded.start, is_whole = excluded.is_whole, loose_since = NULL),
      copied AS (SELECT t.name, b.body FROM unnest($6::text[], $7::text[]) AS t (name, source)
        JOIN before b ON b.name = t.source WHERE t.name NOT IN (SELECT name FROM put)),
      others AS (SELECT name, body FROM before WHERE name <> ALL ($8::text[])
          AND name NOT IN (SELECT name FROM copied) AND name NOT IN (SELECT name FROM put)
        UNION ALL SELECT name, body FROM copied),
      after AS (SELECT name, body FROM others UNION ALL SELECT name, key FROM put),
      gone AS (DELETE FROM ${schema}.entries WHERE zone IN (SELECT key FROM fitting)
        AND name NOT IN (SELECT name FROM after)),
      named AS (INSERT INTO ${schema}.entries (zone, name, body) SELECT f.key, a.name, a.body FROM fitting f, after a
          WHERE (a.name, a.body) NOT IN (SELECT name, body FROM before)
        ON CONFLICT (zone, name) DO UPDATE SET body = excluded.body),
      loosened AS (UPDATE ${schema}.bodies SET loose_since = now() WHERE EXISTS (SELECT FROM fitting)
        AND key IN (SELECT body FROM before EXCEPT SELECT body FROM after)),
      ended AS (INSERT INTO ${schema}.old_journals (zone, number) SELECT key, journal FROM fitting
        WHERE $9::text[] IS NOT NULL ON CONFLICT DO NOTHING),
      added AS (INSERT INTO ${schema}.journal (zone, number, epoch, seq, line)
        SELECT f.key, f.journal + 1, f.epoch, t.seq, t.line
        FROM fitting f, unnest($9::text[]) WITH ORDINALITY AS t (line, seq)),
      z AS (UPDATE ${schema}.zones z SET journal = z.journal + ($9::text[] IS NOT NULL)::integer,
        serial = CASE WHEN EXISTS (SELECT FROM after WHERE name = '${STATE}') THEN greatest(z.serial,
            (SELECT serial FROM put WHERE name = '${STATE}'), (SELECT b.serial FROM others o
              JOIN ${schema}.bodies b ON b.key = o.body WHERE o.name = '${STATE}')) ELSE 0 END
        WHERE z.key IN (SELECT key FROM fitting) RETURNING z.*)
      SELECT (SELECT count(*) FROM leased) AS leased, (SELECT count(*) FROM z) AS moved,
        EXISTS (SELECT FROM put WHERE chunks > 0 AND key NOT IN (SELECT key FROM staged)) AS lacks_chunks,
        EXISTS (SELECT FROM ${schema}.bodies WHERE loose_since < now() - ${REPLACED_STAYS}) OR EXISTS (SELECT
          FROM ${schema}.old_journals o JOIN leased ON leased.key = o.zone WHERE since < now() - ${REPLACED_STAYS}) AS has_old,
        ${viewColumns(schema, "SELECT name, body FROM others")} FROM (SELECT) AS one LEFT JOIN z ON true`,
    values: [
      expect?.name ?? null,
      expect?.tag === undefined ? null : bodyOf({ tag: expect.tag }).key,
      JSON.stringify(made.map(rowOf)),
      copies.map(([name]) => name),
      copies.map(([, source]) => source),
      remove,
      lines ?? null,
    ],
    answer: (row) => {
      if (numberIn(row, "moved") === 0) throw isTrueIn(row, "lacks_chunks") ? deletedMeanwhile() : replacedMeanwhile();
      const view = viewIn(row);
      return { view: { ...view, entries: [...view.entries, ...made] }, hasOld: isTrueIn(row, "has_old") };
    },
    found: async (connection) => {
      // A change that makes no entry may be repeated.
      if (made.length === 0) return undefined;
      const view = await viewOf(connection, schema, key);
      const isDone = made.every(({ name, tag }) => entryOf(view.entries, name)?.tag === tag);
      return isDone ? { view, hasOld: false } : undefined;
    },
  });
}

/** The machine slept between two statements, and other runs took its chunks for those of a dead run. */
function deletedMeanwhile(): StoreConflict {
  return new StoreConflict("this run took over an hour to store its lines, and another one deleted them as left over");
}

function rowOf(entry: Entry): object {
  const { name, bytes, start, isWhole } = entry;
  return { name, ...bodyOf(entry), bytes, serial: serialOf(entry), start, is_whole: isWhole };
}

/** Removes ended journals, and bodies that nothing refers to, including those of dead runs. */
function removeOld({ tables: { schema } }: Place, session: Session): Promise<void> {
  return session.send({
    statement: `old AS (DELETE FROM ${schema}.old_journals WHERE zone IN (SELECT key FROM leased)
        AND since < now() - ${REPLACED_STAYS} RETURNING zone, number),
      lines AS (DELETE FROM ${schema}.journal j USING old WHERE j.zone = old.zone AND j.number = old.number),
      gone AS (DELETE FROM ${schema}.bodies b WHERE loose_since < now() - ${REPLACED_STAYS}
        AND NOT EXISTS (SELECT FROM ${schema}.entries WHERE body = b.key))
      SELECT count(*) AS leased FROM leased`,
    values: [],
    answer: () => undefined,
  });
}

/**
 * Waits for optional work: if the server refuses it, what was done before is still right. Throws everything but
 * `Refusal`.
 */
export async function unlessRefused(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
  }
}

/** Adds lines in one statement, all or none. */
export async function append({ tables: { schema } }: Place, session: Session, lines: readonly string[]): Promise<void> {
  const { confirmed, zoneKey, epoch } = session;
  const before = confirmed.seq;
  await session.send({
    statement: `added AS (INSERT INTO ${schema}.journal (zone, number, epoch, seq, line)
      SELECT leased.key, leased.journal, leased.epoch, $3::bigint + t.number, line
      FROM leased, unnest($4::text[]) WITH ORDINALITY AS t (line, number))
      SELECT count(*) AS leased FROM leased`,
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
export function checkLease(session: Session): Promise<void> {
  return session.send({
    statement: "one AS (SELECT 1) SELECT count(*) AS leased FROM leased",
    values: [],
    answer: () => undefined,
  });
}
