import { DecodeError, text } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import type { JsonObject } from "../core/json.ts";
import { parse } from "./journal.ts";

/** A run saw a custom hostname with a status. */
export interface Observation {
  /** The hostname's id: an observation of one object says nothing about another one with the same name. */
  readonly id: string;
  /** For people who read the record; nothing is looked up by it. */
  readonly hostname: string;
  readonly status: string;
  /** RFC 3339, by the service's clock. */
  readonly at: string;
}

/** Encodes an observation as a line that reveals damage. */
export function encodeObservation({ id, hostname, status, at }: Observation): string {
  const fields = { id, hostname, status, at };
  return JSON.stringify({ sum: sumOf(fields), ...fields });
}

/** Decodes a line of `encodeObservation`; undefined for any other line. */
export function decodeObservation(line: string): Observation | undefined {
  const from = parse(line);
  if (!from) return undefined;
  try {
    const found = fieldsOf(from);
    return from["sum"] === sumOf(found) && !Number.isNaN(Date.parse(found.at)) ? found : undefined;
  } catch (thrown) {
    if (thrown instanceof DecodeError) return undefined;
    throw thrown;
  }
}

function fieldsOf(from: JsonObject): Observation {
  return { id: text(from, "id"), hostname: text(from, "hostname"), status: text(from, "status"), at: text(from, "at") };
}

function sumOf({ id, hostname, status, at }: Observation): string {
  return checksum(JSON.stringify([id, hostname, status, at]));
}
