import { isObject, type Json } from "../json.ts";
import { ServiceError } from "../messages.ts";

/** A refusal of the Rulesets API. It may point into the body, and often has no code (docs/service.md#envelope). */
export function rulesetError(message: string, pointer?: string, code?: number): ServiceError {
  return new ServiceError(400, {
    message,
    ...(code === undefined ? {} : { code }),
    ...(pointer === undefined ? {} : { pointer }),
  });
}

/** The refusal of a value, in the words of the service. The member is the last one of the pointer. */
export function invalidValue(value: Json | undefined, pointer: string, why: string, code?: number): ServiceError {
  const member = pointer.slice(pointer.lastIndexOf("/") + 1);
  return rulesetError(`'${textOf(value)}' is not a valid value for ${member} because ${why}`, pointer, code);
}

/** The value as an error message quotes it. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Checks a value of a body. Throws a 400 that points at it. */
export type Shape = (value: Json, pointer: string) => void;

/** Which members an object needs. */
interface Needs {
  /** All of these. */
  readonly all?: readonly string[];
  /** At least one of these. */
  readonly some?: readonly string[];
  /** Exactly one of these. */
  readonly one?: readonly string[];
}

/** An object with these members and no others. */
export function object(members: Readonly<Record<string, Shape>>, needs: Needs = {}): Shape {
  return (value, pointer) => {
    if (!isObject(value)) throw invalidValue(value, pointer, "it is not an object");
    for (const [name, member] of Object.entries(value)) {
      const shape = Object.hasOwn(members, name) ? members[name] : undefined;
      if (shape === undefined) throw rulesetError(`invalid JSON: unknown field "${name}"`, `${pointer}/${name}`);
      shape(member, `${pointer}/${name}`);
    }
    const has = (name: string): boolean => value[name] !== undefined;
    const { all = [], some, one } = needs;
    const missing = all.find((name) => !has(name));
    if (missing !== undefined) throw rulesetError(`${missing} is required`, `${pointer}/${missing}`);
    if (some !== undefined && !some.some(has)) throw rulesetError(`one of ${some.join(", ")} is required`, pointer);
    if (one !== undefined && one.filter(has).length !== 1)
      throw rulesetError(`exactly one of ${one.join(", ")} is required`, pointer);
  };
}

/** An object with any names, all of whose members have the same shape. */
export function map(member: Shape): Shape {
  return (value, pointer) => {
    if (!isObject(value)) throw invalidValue(value, pointer, "it is not an object");
    if (Object.keys(value).length === 0) throw invalidValue(value, pointer, "it must not be empty");
    for (const [name, each] of Object.entries(value)) member(each, `${pointer}/${name}`);
  };
}

/** A list that is not empty. */
export function list(item: Shape): Shape {
  return (value, pointer) => {
    if (!Array.isArray(value)) throw invalidValue(value, pointer, "it is not a list");
    if (value.length === 0) throw invalidValue(value, pointer, "it must not be empty");
    value.forEach((each, index) => item(each, `${pointer}/${index}`));
  };
}

/** A string of at most so many characters, which may be empty only if `least` is 0. */
export function text(most: number = Infinity, least: number = 1): Shape {
  return (value, pointer) => {
    if (typeof value !== "string") throw invalidValue(value, pointer, "it is not a string");
    if (value.length < least) throw invalidValue(value, pointer, "it must not be empty");
    if (value.length > most) throw invalidValue(value, pointer, `it is longer than ${most} characters`);
  };
}

/** A whole number in a range. */
export function integer(least: number = 0, most: number = Number.MAX_SAFE_INTEGER): Shape {
  return (value, pointer) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value))
      throw invalidValue(value, pointer, "it is not a whole number");
    if (value < least || value > most) throw invalidValue(value, pointer, `it must be from ${least} to ${most}`);
  };
}

/** One of these values. */
export function choice(...values: readonly (string | number | boolean)[]): Shape {
  return (value, pointer) => {
    if (!values.some((each) => each === value))
      throw invalidValue(value, pointer, `it is not one of ${values.join(", ")}`);
  };
}

/** True or false. */
export const flag: Shape = choice(true, false);

/** Any value, where the public documentation says no more. */
export const anything: Shape = () => undefined;
