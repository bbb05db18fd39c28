import { type Codec, record, records } from "../../../core/codec.ts";
import { boolean, DecodeError, text, texts, wholeNumber } from "../../../core/decode.ts";
import { type Entry, entryOf, STATE, type View, type ZoneKey } from "../../engine.ts";
import { decodeHolder } from "../../lock.ts";
import type { Connection } from "./driver.ts";
import { damagedRow, numberIn, objectIn, type Row } from "./rows.ts";
import type { Fenced } from "./session.ts";

/** A zone that nobody has used. */
export const NOTHING: View = { entries: [], journal: "", isJournalEmpty: true, taken: undefined };

const ENTRIES: Codec<{ readonly entries: readonly Entry[] }> = record<{ readonly entries: readonly Entry[] }>({
  entries: records(record<Entry>({ name: text, tag: text, bytes: wholeNumber, start: texts, isWhole: boolean })),
});

/** The columns of a view: of `z`, a row of `zones`, and of `entries`, rows of names and bodies. */
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

/** The view in a row with its columns. Throws `StateError` for what Zoneform never writes. */
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

/** What is kept of a zone, in one statement. */
export async function viewOf(connection: Connection, schema: string, { project, zone }: ZoneKey): Promise<View> {
  const [row] = await connection.query(
    `SELECT ${allColumns(schema)} FROM ${schema}.zones z WHERE project = $1 AND zone = $2`,
    [project, zone],
  );
  return row ? viewIn(row) : NOTHING;
}

/** What is kept of a zone, for the holder of its lock. */
export function fencedView(schema: string): Fenced<View> {
  return {
    statement: `z AS (SELECT * FROM ${schema}.zones WHERE key IN (SELECT key FROM held))
      SELECT (SELECT count(*) FROM held) AS held, ${allColumns(schema)} FROM (SELECT) AS one LEFT JOIN z ON true`,
    values: [],
    answer: viewIn,
  };
}

/** Where the lines of an entry are: its tag says it. */
export function bodyOf({ tag }: Pick<Entry, "tag">): { readonly key: string; readonly chunks: number } {
  const [key = "", chunks] = tag.split("/");
  return { key, chunks: Number(chunks) };
}

/** The body of the state of a view. */
export function stateBody({ entries }: View): string | undefined {
  const state = entryOf(entries, STATE);
  return state && bodyOf(state).key;
}
