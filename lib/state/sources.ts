import { type Codec, flag, optionalRecord, record } from "../core/codec.ts";
import { DecodeError, optionalNumber, text, texts } from "../core/decode.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import type { SourceSeen } from "./state.ts";

/** Encodes what is remembered about the sources, as JSON. */
export function encodeSources(sources: Readonly<Record<string, SourceSeen>>): JsonObject {
  return Object.fromEntries(Object.entries(sources).map(([name, seen]) => [name, SOURCE.encode(seen)]));
}

/** Reads what `encodeSources` wrote. Throws `DecodeError`. */
export function decodeSources(sources: JsonObject): Readonly<Record<string, SourceSeen>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, SOURCE.decode(isObject(source) ? source : noRows(source))]),
  );
}

const MISSING: Codec<NonNullable<SourceSeen["missing"]>> = record<NonNullable<SourceSeen["missing"]>>({
  rows: texts,
  isMore: flag,
});

const SOURCE: Codec<SourceSeen> = record<SourceSeen>({
  rows: (from, field) => optionalNumber(from, field) ?? noRows(from),
  first: text,
  end: texts,
  missing: optionalRecord(MISSING),
});

function noRows(source: Json): never {
  throw new DecodeError("sources", "the rows of each source", source);
}
