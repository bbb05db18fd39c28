import { type Codec, oneOf, optional, optionalRecord, record } from "../core/codec.ts";
import { DecodeError, optionalObject, text, wholeNumber } from "../core/decode.ts";
import { isList, type JsonObject } from "../core/json.ts";
import { OBJECT } from "./object.ts";
import { type JournalRecord, type PreImage, RECORD_KINDS, WRITE_ACTIONS } from "./record.ts";

/** A pre-image as a journal and a run's record store it. */
export const PRE_IMAGE: Codec<PreImage> = record<PreImage>({ id: text, values: preImageValues });

/** A record as a line of the journal stores it. */
export const RECORD: Codec<JournalRecord> = record<JournalRecord>({
  address: text,
  action: oneOf(WRITE_ACTIONS),
  seq: wholeNumber,
  run: text,
  kind: oneOf(RECORD_KINDS),
  at: text,
  from: optional(text),
  object: optionalRecord(OBJECT),
  before: optionalRecord(PRE_IMAGE),
  ahead: (from, name) => (from[name] === true ? true : undefined),
  prior: optionalRecord(OBJECT),
});

function preImageValues(from: JsonObject, field: string): JsonObject {
  const values = optionalObject(from, field);
  if (!values) throw new DecodeError(`before.${field}`, "an object", from[field]);
  return values;
}

/** The field's value as a list of texts, or undefined if there is no such field. Throws `DecodeError`. */
export function optionalTexts(from: JsonObject, field: string): readonly string[] | undefined {
  const value = from[field];
  if (value === undefined) return undefined;
  if (!isList(value)) throw new DecodeError(field, "a list of texts", value);
  return value.map((item) => {
    if (typeof item !== "string") throw new DecodeError(field, "a list of texts", value);
    return item;
  });
}
