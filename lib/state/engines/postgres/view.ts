import { type Codec, record, records } from "../../../core/codec.ts";
import { boolean, text, texts, wholeNumber } from "../../../core/decode.ts";
import type { Entry, View, ZoneKey } from "../../engine.ts";
import { decodeHolder } from "../../holder.ts";
import type { Connection } from "./driver.ts";
import { numberIn, objectIn, type Row } from "./rows.ts";

/** A zone that nobody has used. */
export const NOTHING: View = { entries: [], journal: "", taken: undefined };

const ENTRIES: Codec<{ readonly entries: readonly Entry[] }> = record<{ readonly entries: readonly Entry[] }>({
  entries: records(record<Entry>({ name: text, tag: text, bytes: wholeNumber, start: texts, isWhole: boolean })),
});

/** What `entries`, rows of names and bodies, show in a view: JSON as one text. */
export function shown(schema: string, entries: string): string {
  return `(SELECT json_build_object('entries', coalesce(json_agg(json_build_object('name', a.name,
      'tag', b.key || '/' || b.chunks, 'bytes', b.bytes, 'start', to_json(b.start), 'isWhole', b.is_whole)), '[]'))::text
    FROM (${entries}) a JOIN ${schema}.bodies b ON b.key = a.body)`;
}

/** The entries of a row. */
export function entriesIn(row: Row, column: string): readonly Entry[] {
  return ENTRIES.decode(objectIn(row, column)).entries;
}

/** Where the lines of an entry are: its tag says it. */
export function bodyOf({ tag }: Pick<Entry, "tag">): { readonly key: string; readonly chunks: number } {
  const [key = "", chunks] = tag.split("/");
  return { key, chunks: Number(chunks) };
}

/** What is kept of a zone, in one statement. */
export async function viewOf(connection: Connection, schema: string, { project, zone }: ZoneKey): Promise<View> {
  const [row] = await connection.query(
    `SELECT z.key, z.journal, z.holder::text AS holder, z.serial,
      ${shown(schema, `SELECT name, body FROM ${schema}.entries WHERE zone = z.key`)} AS shown
    FROM ${schema}.zones z WHERE project = $1 AND zone = $2`,
    [project, zone],
  );
  if (!row) return NOTHING;
  const holder = decodeHolder(objectIn(row, "holder"));
  return {
    entries: entriesIn(row, "shown"),
    journal: `${numberIn(row, "key")}/${numberIn(row, "journal")}`,
    taken: holder && { holder, serial: numberIn(row, "serial") },
  };
}
