import { type Address, brandAddress, brandDigest, type Digest, wholeOf, type ZoneId, zoneId } from "./brand.ts";
import { DecodeError, object, objects, optionalObject, text } from "./decode.ts";
import { EMPTY, type Json, type JsonObject } from "./json.ts";

/** Reads a field of a JSON object, like `text` and the other readers of `core/decode.ts`. Throws `DecodeError`. */
export interface Field<T> {
  (from: JsonObject, name: string): T;
  /** The value as JSON, if that differs from the value itself. */
  encode?(value: Exclude<T, undefined>): Json;
  /** The field's name in JSON, if it differs. */
  readonly as?: string;
}

/** A field for each property of a struct: a forgotten one does not compile. */
export type Fields<T> = { readonly [Key in keyof T]-?: Field<T[Key]> };

/** Writes and reads a struct as JSON. */
export interface Codec<T> {
  /** Writes the fields in the order of the description, without those that are undefined. */
  readonly encode: (value: T) => JsonObject;
  /** Throws `DecodeError` for the first wrong field. */
  readonly decode: (from: JsonObject) => T;
}

/** Describes how a struct is written and read. `head` comes first in the JSON: a format and its version. */
export function struct<T extends object>(fields: Fields<T>, head: JsonObject = EMPTY): Codec<T> {
  const parts = Object.entries<Field<unknown>>(fields).map(([key, read]) => ({ key, name: read.as ?? key, read }));
  return {
    encode: (value) => {
      const encoded: Record<string, unknown> = { ...head };
      for (const { key, name, read } of parts) {
        const field: unknown = Reflect.get(value, key);
        if (field !== undefined) encoded[name] = read.encode ? read.encode(field) : field;
      }
      return wholeOf<JsonObject>(encoded);
    },
    decode: (from) => {
      for (const [name, wanted] of Object.entries(head)) {
        if (from[name] !== wanted) throw new DecodeError(name, JSON.stringify(wanted), from[name]);
      }
      const found: Record<string, unknown> = {};
      for (const { key, name, read } of parts) {
        const field = read(from, name);
        if (field !== undefined) found[key] = field;
      }
      return wholeOf<T>(found);
    },
  };
}

/** A field with another name in JSON. */
export function named<T>(as: string, field: Field<T>): Field<T> {
  const read: Field<T> = (from, name) => field(from, name);
  return Object.assign(read, field, { as });
}

/** A field that may be absent. If it is present, it must be valid. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  const read: Field<T | undefined> = (from, name) => (from[name] === undefined ? undefined : field(from, name));
  return Object.assign(read, field);
}

/** One of several texts. */
export function oneOf<T extends string>(allowed: readonly T[]): Field<T> {
  return (from, name) => {
    const found = allowed.find((each) => each === from[name]);
    if (found === undefined) throw new DecodeError(name, `one of ${allowed.join(", ")}`, from[name]);
    return found;
  };
}

/** A nested struct. */
export function nested<T>({ encode, decode }: Codec<T>): Field<T> {
  const read: Field<T> = (from, name) => decode(object(from, name));
  return Object.assign(read, { encode });
}

/** A nested struct; undefined if there is no object. */
export function optionalStruct<T>({ encode, decode }: Codec<T>): Field<T | undefined> {
  const read: Field<T | undefined> = (from, name) => {
    const found = optionalObject(from, name);
    return found && decode(found);
  };
  return Object.assign(read, { encode });
}

/** A list of structs, read like `objects`. */
export function structs<T>({ encode, decode }: Codec<T>): Field<readonly T[]> {
  const read: Field<readonly T[]> = (from, name) => objects(from, name).map(decode);
  return Object.assign(read, { encode: (all: readonly T[]) => all.map(encode) });
}

/** `true`, or undefined for anything else. */
export function flag(from: JsonObject, name: string): true | undefined {
  return from[name] === true ? true : undefined;
}

/** Any JSON, or undefined. */
export function json(from: JsonObject, name: string): Json | undefined {
  return from[name];
}

/** An address. Throws `DecodeError`. */
export function address(from: JsonObject, name: string): Address {
  return brandAddress(text(from, name));
}

/** The id of a zone. Throws `DecodeError`. */
export function zone(from: JsonObject, name: string): ZoneId {
  return zoneId(text(from, name));
}

/** A digest. Throws `DecodeError`. */
export function digest(from: JsonObject, name: string): Digest {
  return brandDigest(text(from, name));
}
