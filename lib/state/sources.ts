import { type Codec, record, withDefault } from "../core/codec.ts";
import { DecodeError, optionalNumber, optionalText, text } from "../core/decode.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import { ROW_HASH_LENGTH } from "../core/digest.ts";
import type { SourceSeen } from "./state.ts";

/** How many rows one line of a state holds: lines stay short enough to look at. */
const ROWS_A_LINE = 1000;

/** The lists of a source's rows, by the name of their field in a state's lines. */
const LISTS = { row_hashes: "order", file_hashes: "file", open_hashes: "open" } as const;

type RowField = keyof typeof LISTS;

/** The fields of a state's lines that hold rows of sources. */
export const ROW_FIELDS: readonly RowField[] = ["row_hashes", "file_hashes", "open_hashes"];

/** Encodes what is remembered about the sources as JSON. */
export function encodeSources(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  return Object.fromEntries(Object.entries(sources).map(([name, { ...seen }]) => [name, seen]));
}

/** Reads what `encodeSources` wrote. Throws `DecodeError`. */
export function decodeSources(sources: JsonObject): Readonly<Record<string, SourceSeen>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, SOURCE.decode(isObject(source) ? source : noRows(source))]),
  );
}

const SOURCE: Codec<SourceSeen> = record<SourceSeen>({
  rows: (from, field) => optionalNumber(from, field) ?? noRows(from),
  said: text,
  order: withDefault(optionalText, ""),
  file: optionalText,
  open: optionalText,
});

function noRows(source: Json): never {
  throw new DecodeError("sources", "the rows of each source", source);
}

/**
 * Encodes what the first line of a state remembers about the sources: without the rows, because that line has to stay
 * short.
 */
export function encodeSourceHeads(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  return Object.fromEntries(
    Object.entries(sources).map(([name, { order: _order, file: _file, open: _open, ...head }]) => [name, head]),
  );
}

/** The rows of the sources, one line for each thousand. */
export function* encodeRowLines(sources: Readonly<Record<string, SourceSeen>>): Iterable<JsonObject> {
  const length = ROWS_A_LINE * ROW_HASH_LENGTH;
  for (const [source, seen] of Object.entries(sources)) {
    for (const field of ROW_FIELDS) {
      const hashes = seen[LISTS[field]] ?? "";
      for (let at = 0; at < hashes.length; at += length) yield { source, [field]: hashes.slice(at, at + length) };
    }
  }
}

/**
 * Adds the rows from a state's later lines to the sources of its first line. Throws `DecodeError` for rows of an
 * unknown source.
 */
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
