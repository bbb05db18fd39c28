import { DecodeError, optionalNumber, optionalText, text } from "../core/decode.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { SourceSeen } from "./state.ts";

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
      return [name, { rows, last: text(source, "last"), ...(said === undefined ? {} : { said }) }];
    }),
  );
}
