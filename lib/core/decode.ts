import { isList, isObject, type Json, type JsonObject } from "./json.ts";

/** Foreign JSON does not have the shape that the service promises. The message names the field. */
export class DecodeError extends Error {
  constructor(field: string, wanted: string, found: Json | undefined, was?: string) {
    const is = found === undefined ? "missing" : (was ?? kindOf(found));
    super(`the field ${JSON.stringify(field)} must be ${wanted}, but is ${is}`);
    this.name = "DecodeError";
  }
}

/** What a decoder returns, or what `otherwise` makes of its `DecodeError`. */
export function decodeOr<T, Other>(decode: () => T, otherwise: (cause: DecodeError) => Other): T | Other {
  try {
    return decode();
  } catch (thrown) {
    if (thrown instanceof DecodeError) return otherwise(thrown);
    throw thrown;
  }
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "a list";
  return isObject(value) ? "an object" : `a ${typeof value}`;
}

/** A text that must be present. Throws `DecodeError`. */
export function text(from: JsonObject, field: string): string {
  const value = from[field];
  if (typeof value !== "string") throw new DecodeError(field, "a string", value);
  return value;
}

/** A boolean that must be present. Throws `DecodeError`. */
export function boolean(from: JsonObject, field: string): boolean {
  const value = from[field];
  if (typeof value !== "boolean") throw new DecodeError(field, "true or false", value);
  return value;
}

/** The service's ids have 32 or 36 characters (docs/service.md#ids-and-times); those of old WAF rules are short numbers. */
const LONGEST_ID = 64;
/** Letters, digits, hyphens and underscores: such an id cannot leave its part of a path or move a terminal's cursor. */
const ID = new RegExp(`^[\\w-]{1,${LONGEST_ID}}$`);

/** An object's id: opaque, but safe in a path, in a state and on a terminal. Throws `DecodeError`. */
export function id(from: JsonObject): string {
  const value = text(from, "id");
  if (!ID.test(value)) throw new DecodeError("id", `an id: ${ID_FORM}`, value, "another string");
  return value;
}

const ID_FORM = `1 to ${LONGEST_ID} letters, digits, hyphens or underscores`;

/** An id, or undefined if it is absent, null or empty (docs/service.md#envelope). Throws `DecodeError` for another form. */
export function optionalId(from: JsonObject): string | undefined {
  const value = from["id"];
  return value === undefined || value === null || value === "" ? undefined : id(from);
}

/** The id in the response to a call for one object. Throws `DecodeError` if it is another object's. */
export function sameId(from: JsonObject, wanted: string): string {
  const found = id(from);
  if (found !== wanted) throw new DecodeError("id", "the id of the requested object", found, "another one");
  return found;
}

/** A text, or undefined if the field is absent, null or of another type (the service adds and drops fields freely). */
export function optionalText(from: JsonObject, field: string): string | undefined {
  const value = from[field];
  return typeof value === "string" ? value : undefined;
}

/** A boolean, or undefined. */
export function optionalBoolean(from: JsonObject, field: string): boolean | undefined {
  const value = from[field];
  return typeof value === "boolean" ? value : undefined;
}

/** A number, or undefined. */
export function optionalNumber(from: JsonObject, field: string): number | undefined {
  const value = from[field];
  return typeof value === "number" ? value : undefined;
}

/** A whole number from 0. Throws `DecodeError`. */
export function wholeNumber(from: JsonObject, field: string): number {
  const value = optionalNumber(from, field);
  if (value === undefined || !Number.isSafeInteger(value) || value < 0) {
    throw new DecodeError(field, "a whole number", from[field]);
  }
  return value;
}

/** An object that must be present. Throws `DecodeError`. */
export function object(from: JsonObject, field: string): JsonObject {
  const value = from[field];
  if (!isObject(value)) throw new DecodeError(field, "an object", value);
  return value;
}

/** An object, or undefined. */
export function optionalObject(from: JsonObject, field: string): JsonObject | undefined {
  const value = from[field];
  return isObject(value) ? value : undefined;
}

/** The objects of a list; null and an absent list are empty (docs/service.md#envelope). */
export function objects(from: JsonObject, field: string): readonly JsonObject[] {
  const value = from[field];
  return isList(value) ? value.filter(isObject) : [];
}

/** The texts of a list; skips anything else in it. */
export function texts(from: JsonObject, field: string): readonly string[] {
  const value = from[field];
  return isList(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** The whole response as an object. Throws `DecodeError`. */
export function asObject(value: Json, what: string): JsonObject {
  if (!isObject(value)) throw new DecodeError(what, "an object", value);
  return value;
}
