import { type Entry, noting, REPLACED_STAYS_MILLISECONDS } from "../../engine.ts";
import { StateError } from "../../error.ts";
import type { Connection } from "./driver.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, textIn } from "./rows.ts";
import type { Session } from "./session.ts";
import { bodyOf } from "./view.ts";

/** Lines are sent in chunks of this size, because a statement for each line would cost more than its bytes. */
const CHUNK_CHARACTERS = 256 * 1024;

/** How many chunks one statement reads. */
const CHUNKS_AT_ONCE = 8;

/** How long what was replaced stays, for those who are reading it. */
export const REPLACED_STAYS: string = `interval '${REPLACED_STAYS_MILLISECONDS / 1000} seconds'`;

/**
 * Stores lines as the chunks of a new body, to which nothing points yet: until something does, nobody sees it, and what a
 * dead run left is removed later. Few and short lines have no chunks: whoever names the body stores them.
 */
export async function stageBody(
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
      statement: `body AS (INSERT INTO ${schema}.bodies (key, epoch) SELECT $3::uuid, epoch FROM held
          ON CONFLICT DO NOTHING),
        chunk AS (INSERT INTO ${schema}.chunks (body, number, lines) SELECT $3::uuid, $4::integer, $5 FROM held
          ON CONFLICT DO NOTHING)
        SELECT count(*) AS held FROM held`,
      values: [key, chunks, chunk],
      answer: () => undefined,
    });
    chunks += 1;
  }
  return { name, tag: `${key}/${chunks}`, ...passing.noted() };
}

/** The journal as a body of its own; none if it has no lines. */
export async function stageJournal(
  { random, tables: { schema } }: Place,
  session: Session,
  name: string,
): Promise<readonly Entry[]> {
  const key = random.uuid();
  const bytes = await session.send({
    statement: `text AS (SELECT held.epoch, string_agg(line, E'\\n' ORDER BY j.epoch, seq) AS lines
        FROM ${schema}.journal j JOIN held ON held.key = j.zone AND held.journal = j.number GROUP BY held.epoch),
      body AS (INSERT INTO ${schema}.bodies (key, epoch) SELECT $3::uuid, epoch FROM text ON CONFLICT DO NOTHING),
      chunk AS (INSERT INTO ${schema}.chunks (body, number, lines) SELECT $3::uuid, 0, lines FROM text
        ON CONFLICT DO NOTHING)
      SELECT (SELECT count(*) FROM held) AS held, (SELECT coalesce(sum(octet_length(lines) + 1), 0) FROM text) AS bytes`,
    values: [key],
    answer: (row) => numberIn(row, "bytes"),
  });
  return bytes === 0 ? [] : [{ name, tag: `${key}/1`, bytes, start: [], isWhole: false }];
}

/** Lines, joined; at least one a chunk. */
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

/** The lines of an entry, in their order. Throws `StateError` if a part of them is missing. */
export async function* linesOfBody(place: Place, entry: Entry): AsyncIterable<string> {
  if (entry.isWhole) yield* entry.start;
  const { key, chunks } = bodyOf(entry);
  const load = (from: number): Promise<readonly string[]> =>
    reading(place, [], (connection) => loadChunks(place, connection, key, from));
  let next = chunks > 0 ? load(0) : undefined;
  for (let number = 0; next !== undefined;) {
    const loaded: readonly string[] = await next;
    if (loaded.length === 0) throw missingChunk(place, number);
    number += loaded.length;
    // Comes while the caller reads what is there; a failure is told when it is asked for.
    next = number < chunks ? load(number) : undefined;
    next?.catch(() => undefined);
    for (const chunk of loaded) yield* chunk.split("\n");
  }
}

/** The next chunks from a number on, without a gap. */
async function loadChunks(
  { tables: { schema } }: Place,
  connection: Connection,
  key: string,
  from: number,
): Promise<readonly string[]> {
  const rows = await connection.query(
    `SELECT number, lines FROM ${schema}.chunks WHERE body = $1::uuid AND number >= $2 ORDER BY number LIMIT ${CHUNKS_AT_ONCE}`,
    [key, from],
  );
  const gap = rows.findIndex((row, index) => numberIn(row, "number") !== from + index);
  return (gap < 0 ? rows : rows.slice(0, gap)).map((row) => textIn(row, "lines"));
}

function missingChunk({ where }: Place, number: number): StateError {
  return new StateError({
    code: "state-damaged",
    message: `the state at ${where} is damaged: chunk ${number} of it is missing`,
    remedy: "restore the tables from a backup of the database, or run zoneform state repair",
  });
}
