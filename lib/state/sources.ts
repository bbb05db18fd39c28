import { type Codec, record } from "../core/codec.ts";
import { DecodeError, optionalNumber, optionalText, text } from "../core/decode.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import { ROW_HASH_LENGTH } from "../core/row-hash.ts";
import type { SourceSeen } from "./state.ts";

/** So many rows stand in one line of a state: a line stays short enough to look at. */
const ROWS_A_LINE = 1000;

/** The lists of rows that a source has, by the name of their field in the lines of a state. */
const LISTS = { row_hashes: "order", file_hashes: "file", open_hashes: "open" } as const;

type RowField = keyof typeof LISTS;

/** The fields of a state's lines that hold rows of sources. */
export const ROW_FIELDS: readonly RowField[] = ["row_hashes", "file_hashes", "open_hashes"];

/** What is remembered of the sources, as JSON. */
export function encodeSources(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  return Object.fromEntries(Object.entries(sources).map(([name, { ...seen }]) => [name, seen]));
}

/** Reads what `encodeSources` gave. Throws `DecodeError`. */
export function decodeSources(sources: JsonObject): Readonly<Record<string, SourceSeen>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, SOURCE.decode(isObject(source) ? source : noRows(source))]),
  );
}

const SOURCE: Codec<SourceSeen> = record<SourceSeen>({
  rows: (from, field) => optionalNumber(from, field) ?? noRows(from),
  last: text,
  said: optionalText,
  order: optionalText,
  file: optionalText,
  open: optionalText,
});

function noRows(source: Json): never {
  throw new DecodeError("sources", "the rows of each source", source);
}

/** What is remembered of the sources in the first line of a state, which has to stay short. */
export function encodeSourceHeads(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  const heads = Object.entries(sources).map(
    ([name, { order: _order, file: _file, open: _open, ...head }]) => [name, head] as const,
  );
  return encodeSources(Object.fromEntries(heads));
}

/** The rows of the sources, a line for each thousand of them. */
export function* encodeRowLines(sources: Readonly<Record<string, SourceSeen>>): Iterable<JsonObject> {
  const length = ROWS_A_LINE * ROW_HASH_LENGTH;
  for (const [source, seen] of Object.entries(sources)) {
    for (const field of ROW_FIELDS) {
      const hashes = seen[LISTS[field]] ?? "";
      for (let at = 0; at < hashes.length; at += length) yield { source, [field]: hashes.slice(at, at + length) };
    }
  }
}

/** The sources of a state's first line with the rows that its next lines gave. Throws `DecodeError` for rows of no source. */
export function withRowLines(
  heads: Readonly<Record<string, SourceSeen>>,
  lines: readonly JsonObject[],
): Readonly<Record<string, SourceSeen>> {
  const lists = new Map<string, Partial<Record<"order" | "file" | "open", string>>>();
  for (const line of lines) {
    const source = text(line, "source");
    if (!Object.hasOwn(heads, source)) throw new DecodeError("source", "a source of the first line", source);
    const field = ROW_FIELDS.find((name) => Object.hasOwn(line, name)) ?? "row_hashes";
    const found = lists.get(source) ?? {};
    lists.set(source, { ...found, [LISTS[field]]: (found[LISTS[field]] ?? "") + text(line, field) });
  }
  return Object.fromEntries(Object.entries(heads).map(([name, head]) => [name, { ...head, ...lists.get(name) }]));
}
