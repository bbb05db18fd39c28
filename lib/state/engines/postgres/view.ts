import { type Codec, struct, structs } from "../../../core/codec.ts";
import { boolean, DecodeError, text, texts, wholeNumber } from "../../../core/decode.ts";
import { type Entry, entryOf, STATE, type View, type ZoneKey } from "../../engine.ts";
import { StateError } from "../../error.ts";
import { decodeHolder } from "../../lock.ts";
import type { Connection } from "./driver.ts";
import { type Place, reading } from "./place.ts";
import { damagedRow, numberIn, objectIn, type Row, textIn } from "./rows.ts";
import type { Fenced } from "./session.ts";

/** How many chunks one statement reads. */
const CHUNKS_AT_ONCE = 8;

/** How many lines one statement reads. */
const LINES_AT_ONCE = 2000;

/** The view of an unused zone. */
export const NOTHING: View = { entries: [], journal: "", isJournalEmpty: true, taken: undefined };

const ENTRIES: Codec<{ readonly entries: readonly Entry[] }> = struct<{ readonly entries: readonly Entry[] }>({
  entries: structs(struct<Entry>({ name: text, tag: text, bytes: wholeNumber, start: texts, isWhole: boolean })),
});

/** The columns of a view, from `z`, a row of `zones`, and `entries`, rows of names and bodies. */
export function viewColumns(schema: string, entries: string): string {
  return `z.key, z.journal, z.holder::text AS holder, z.serial,
    (SELECT json_build_object('entries', coalesce(json_agg(json_build_object('name', a.name, 'tag',
      b.key || '/' || b.chunks, 'bytes', b.bytes, 'start', to_json(b.start), 'isWhole', b.is_whole)), '[]'))::text
    FROM (${entries}) a JOIN ${schema}.bodies b ON b.key = a.body) AS shown`;
}

function allColumns(schema: string): string {
  return `EXISTS (SELECT FROM ${schema}.journal WHERE zone = z.key AND number = z.journal) AS is_begun,
    ${viewColumns(schema, `SELECT name, body FROM ${schema}.entries WHERE zone = z.key`)}`;
}

/** Reads the view from a row with those columns. Throws `StateError` for values that Zoneform never writes. */
export function viewIn(row: Row): View {
  const holder = decodeHolder(objectIn(row, "holder"));
  return {
    entries: entriesIn(row, "shown"),
    journal: `${numberIn(row, "key")}/${numberIn(row, "journal")}`,
    ...(row["is_begun"] === false ? { isJournalEmpty: true } : {}),
    taken: holder && { holder, serial: numberIn(row, "serial") },
  };
}

function entriesIn(row: Row, column: string): readonly Entry[] {
  const found = objectIn(row, column);
  try {
    return ENTRIES.decode(found).entries;
  } catch (cause) {
    if (cause instanceof DecodeError) throw damagedRow(cause.message, cause);
    throw cause;
  }
}

/** Reads the view of a zone, in one statement. */
export async function viewOf(connection: Connection, schema: string, { project, zone }: ZoneKey): Promise<View> {
  const [row] = await connection.query(
    `SELECT ${allColumns(schema)} FROM ${schema}.zones z WHERE project = $1 AND zone = $2`,
    [project, zone],
  );
  return row ? viewIn(row) : NOTHING;
}

/** Reads the view of a zone as the holder of its lock. */
export function fencedView(schema: string): Fenced<View> {
  return {
    statement: `z AS (SELECT * FROM ${schema}.zones WHERE key IN (SELECT key FROM leased))
      SELECT (SELECT count(*) FROM leased) AS leased, ${allColumns(schema)} FROM (SELECT) AS one LEFT JOIN z ON true`,
    values: [],
    answer: viewIn,
  };
}

/** Where the lines of an entry are, from its tag. */
export function bodyOf({ tag }: Pick<Entry, "tag">): { readonly key: string; readonly chunks: number } {
  const [key = "", chunks] = tag.split("/");
  return { key, chunks: Number(chunks) };
}

/** The body of the state of a view. */
export function stateBody({ entries }: View): string | undefined {
  const state = entryOf(entries, STATE);
  return state && bodyOf(state).key;
}

/** The lines of an entry, in order. Throws `StateError` if a part is missing. */
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
    // Loads while the caller reads the current chunks; a failure is thrown when the chunks are needed.
    next = number < chunks ? load(number) : undefined;
    next?.catch(() => undefined);
    for (const chunk of loaded) yield* chunk.split("\n");
  }
}

/** The next chunks from a number on, without gaps. */
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

/** The lines of the journal of a view. Each is a row, so a record costs the same for a state of any size. */
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
