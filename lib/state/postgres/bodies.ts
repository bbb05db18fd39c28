import { runningDigest } from "../../core/digest.ts";
import { StateError } from "../error.ts";
import { headerSerial } from "../header-serial.ts";
import { REPLACED_STAYS_MILLISECONDS } from "../replaced.ts";
import type { Connection } from "./driver.ts";
import { type Place, reading } from "./place.ts";
import { numberIn, textIn } from "./rows.ts";
import type { Session } from "./session.ts";

/** Lines are sent in chunks of this size, because a statement for each line would cost more than its bytes. */
const CHUNK_CHARACTERS = 256 * 1024;

/** How many chunks one statement reads. */
const CHUNKS_AT_ONCE = 8;

/** Lines that are stored and not yet part of anything. */
export interface StagedBody {
  readonly key: string;
  readonly sha256: string;
  /** The serial in its first line; 0 if there is none. */
  readonly serial: number;
}

/** How long what was replaced stays, for those who are reading it. */
export const REPLACED_STAYS: string = `interval '${REPLACED_STAYS_MILLISECONDS / 1000} seconds'`;

/**
 * Stores lines as a new body, to which nothing points yet: until something does, nobody sees it, and what a dead run
 * left is removed later.
 */
export async function stageBody(
  { random, tables: { schema } }: Place,
  session: Session,
  lines: AsyncIterable<string>,
): Promise<StagedBody> {
  const key = random.uuid();
  const digest = runningDigest();
  let [chunks, bytes, serial] = [0, 0, 0];
  await session.send({
    statement: `body AS (INSERT INTO ${schema}.bodies (key, epoch) SELECT $3::uuid, epoch FROM held
      ON CONFLICT DO NOTHING) SELECT count(*) AS held FROM held`,
    values: [key],
    answer: () => undefined,
  });
  for await (const chunk of chunksOf(lines)) {
    if (chunks === 0) serial = headerSerial(chunk.split("\n", 1).join(""));
    digest.add(`${chunk}\n`);
    bytes += Buffer.byteLength(chunk) + 1;
    await session.send({
      statement: `chunk AS (INSERT INTO ${schema}.chunks (body, number, lines) SELECT $3::uuid, $4::integer, $5 FROM held
        ON CONFLICT DO NOTHING) SELECT count(*) AS held FROM held`,
      values: [key, chunks, chunk],
      answer: () => undefined,
    });
    chunks += 1;
  }
  const sha256 = digest.hex();
  await session.send({
    statement: `body AS (UPDATE ${schema}.bodies SET sha256 = $4, serial = $5::bigint, chunks = $6::integer,
      bytes = $7::bigint WHERE key = $3::uuid AND EXISTS (SELECT FROM held)) SELECT count(*) AS held FROM held`,
    values: [key, sha256, serial, chunks, bytes],
    answer: () => undefined,
  });
  return { key, sha256, serial };
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

/** The lines of a body, in their order. Throws `StateError` if a part of them is missing. */
export async function* linesOfBody(place: Place, key: string, chunks: number): AsyncIterable<string> {
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
    remedy: "restore the tables from a backup of the database, or run zoneform state repair --from backup",
  });
}
