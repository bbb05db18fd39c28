import { isList, isObject, type Json, type JsonObject } from "./json.ts";

/** Somebody else's JSON has not the shape that the public facts promise. The message names the field. */
export class DecodeError extends Error {
  constructor(field: string, wanted: string, found: Json | undefined) {
    super(
      `the field ${JSON.stringify(field)} should be ${wanted}, but is ${found === undefined ? "missing" : kindOf(found)}`,
    );
    this.name = "DecodeError";
  }
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "a list";
  return isObject(value) ? "an object" : `a ${typeof value}`;
}

/** A text that must be there. Throws `DecodeError`. */
export function text(from: JsonObject, field: string): string {
  const value = from[field];
  if (typeof value !== "string") throw new DecodeError(field, "a text", value);
  return value;
}

/** A text, or undefined where the field is absent, null or of another type (the service adds and drops fields freely). */
export function optionalText(from: JsonObject, field: string): string | undefined {
  const value = from[field];
  return typeof value === "string" ? value : undefined;
}

/** A truth value, or undefined. */
export function optionalBoolean(from: JsonObject, field: string): boolean | undefined {
  const value = from[field];
  return typeof value === "boolean" ? value : undefined;
}

/** A number, or undefined. */
export function optionalNumber(from: JsonObject, field: string): number | undefined {
  const value = from[field];
  return typeof value === "number" ? value : undefined;
}

/** An object, or undefined. */
export function optionalObject(from: JsonObject, field: string): JsonObject | undefined {
  const value = from[field];
  return isObject(value) ? value : undefined;
}

/** The objects of a list; null and an absent list are empty (public fact: some lists come as null). */
export function objects(from: JsonObject, field: string): readonly JsonObject[] {
  const value = from[field];
  return isList(value) ? value.filter(isObject) : [];
}

/** The texts of a list; anything else in it is left out. */
export function texts(from: JsonObject, field: string): readonly string[] {
  const value = from[field];
  return isList(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** The whole answer as an object. Throws `DecodeError`. */
export function asObject(value: Json, what: string): JsonObject {
  if (!isObject(value)) throw new DecodeError(what, "an object", value);
  return value;
}
