import { DecodeError, optionalNumber, optionalObject, text } from "../core/decode.ts";
import { isList, type Json, type JsonObject } from "../core/json.ts";
import { decodeObject, encodeObject } from "./object.ts";
import type { JournalRecord, PreImage, RecordKind, WriteAction } from "./record.ts";

/** A record as JSON, for a line of the journal. */
export function encodeFields(record: JournalRecord): JsonObject {
  const { address, action, seq, run, kind, at, from, object, before, prior } = record;
  const encoded: Record<string, Json> = { address, action, seq, run, kind, at };
  if (from !== undefined) encoded["from"] = from;
  if (object) encoded["object"] = encodeObject(object);
  if (before) encoded["before"] = encodePreImage(before);
  if (prior) encoded["prior"] = encodeObject(prior);
  return encoded;
}

/** A pre-image as JSON. */
export function encodePreImage({ id, values }: PreImage): JsonObject {
  return { id, values };
}

/** Reads what `encodeFields` gave. Throws `DecodeError` that names the field. */
export function decodeFields(from: JsonObject): JournalRecord {
  const object = optionalObject(from, "object");
  const prior = optionalObject(from, "prior");
  return {
    seq: wholeNumber(from, "seq"),
    run: text(from, "run"),
    kind: oneOf(KINDS, from, "kind"),
    address: text(from, "address"),
    action: oneOf(ACTIONS, from, "action"),
    at: text(from, "at"),
    ...(object ? { object: decodeObject(object) } : {}),
    ...(from["from"] === undefined ? {} : { from: text(from, "from") }),
    ...decodePreImage(from),
    ...(prior ? { prior: decodeObject(prior) } : {}),
  };
}

/** Reads the field `before`, where it is there. Throws `DecodeError`. */
export function decodePreImage(from: JsonObject): { before?: PreImage } {
  const before = optionalObject(from, "before");
  if (!before) return {};
  const values = optionalObject(before, "values");
  if (!values) throw new DecodeError("before.values", "an object", before["values"]);
  return { before: { id: text(before, "id"), values } };
}

const KINDS = ["intent", "done", "failed", "gone"] as const satisfies readonly RecordKind[];
const ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget"] as const satisfies readonly WriteAction[];

/** The field's value, which must be one of those allowed. Throws `DecodeError`. */
export function oneOf<T extends string>(allowed: readonly T[], from: JsonObject, field: string): T {
  const value = from[field];
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new DecodeError(field, `one of ${allowed.join(", ")}`, value);
  return found;
}

/** The field's value as a whole number from 0. Throws `DecodeError`. */
export function wholeNumber(from: JsonObject, field: string): number {
  const value = optionalNumber(from, field);
  if (value === undefined || !Number.isSafeInteger(value) || value < 0) {
    throw new DecodeError(field, "a whole number", from[field]);
  }
  return value;
}

/** The field's value as a list of texts, or undefined where there is no such field. Throws `DecodeError`. */
export function optionalTexts(from: JsonObject, field: string): readonly string[] | undefined {
  const value = from[field];
  if (value === undefined) return undefined;
  if (!isList(value)) throw new DecodeError(field, "a list of texts", value);
  return value.map((item) => {
    if (typeof item !== "string") throw new DecodeError(field, "a list of texts", value);
    return item;
  });
}
