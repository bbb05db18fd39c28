import { DecodeError, optionalNumber, optionalText, text } from "../core/decode.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { ROW_HASH_LENGTH } from "../core/row-hash.ts";
import type { SourceSeen } from "./state.ts";

/** So many rows stand in one line of a state: a line stays short enough to look at. */
const ROWS_A_LINE = 1000;

/** What is remembered of the sources, as JSON. */
export function encodeSources(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  return Object.fromEntries(Object.entries(sources).map(([name, { ...seen }]) => [name, seen]));
}

/** Reads what `encodeSources` gave. Throws `DecodeError`. */
export function decodeSources(sources: JsonObject): Readonly<Record<string, SourceSeen>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => {
      const rows = isObject(source) ? optionalNumber(source, "rows") : undefined;
      if (!isObject(source) || rows === undefined) throw new DecodeError("sources", "the rows of each source", source);
      const said = optionalText(source, "said");
      const order = optionalText(source, "order");
      return [
        name,
        {
          rows,
          last: text(source, "last"),
          ...(said === undefined ? {} : { said }),
          ...(order === undefined ? {} : { order }),
        },
      ];
    }),
  );
}

/** What is remembered of the sources in the first line of a state, which has to stay short. */
export function encodeSourceHeads(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  const heads = Object.entries(sources).map(([name, { order: _order, ...head }]) => [name, head] as const);
  return encodeSources(Object.fromEntries(heads));
}

/** The rows of the sources, a line for each thousand of them. */
export function* encodeRowLines(sources: Readonly<Record<string, SourceSeen>>): Iterable<JsonObject> {
  const length = ROWS_A_LINE * ROW_HASH_LENGTH;
  for (const [source, { order = "" }] of Object.entries(sources))
    for (let at = 0; at < order.length; at += length) yield { source, row_hashes: order.slice(at, at + length) };
}

/** The sources of a state's first line with the rows that its next lines gave. Throws `DecodeError` for rows of no source. */
export function withRowLines(
  heads: Readonly<Record<string, SourceSeen>>,
  lines: readonly JsonObject[],
): Readonly<Record<string, SourceSeen>> {
  const orders = new Map<string, string>();
  for (const line of lines) {
    const source = text(line, "source");
    if (!Object.hasOwn(heads, source)) throw new DecodeError("source", "a source of the first line", source);
    orders.set(source, (orders.get(source) ?? "") + text(line, "row_hashes"));
  }
  return Object.fromEntries(
    Object.entries(heads).map(([name, head]) => {
      const order = orders.get(name);
      return [name, { ...head, ...(order === undefined ? {} : { order }) }];
    }),
  );
}
