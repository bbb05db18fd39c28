import { isObject, type JsonObject } from "./json.ts";

/** Something that a person wrote is not as it should be: a seed, or an admin request. The message says where. */
export class InputError extends Error {
  constructor(at: string, problem: string) {
    super(`${at}: ${problem}`);
    this.name = "InputError";
  }
}

/** Reads the members of one object and notices those that nobody asked for. */
export interface Members {
  /** Where the object is, such as `zones[0].quota`. */
  readonly at: string;
  text(name: string): string | undefined;
  requiredText(name: string): string;
  /** A number that is 0 or more. */
  amount(name: string): number | undefined;
  flag(name: string): boolean | undefined;
  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined;
  texts(name: string): string[] | undefined;
  object(name: string): JsonObject | undefined;
  /** The members of an array, each an object, with where it is. */
  list(name: string): { value: JsonObject; at: string }[];
  /** Any value. */
  any(name: string): unknown;
  /** Throws for a member that was not read: it is misspelt, or means nothing. */
  done(): void;
}

/** Reads an object; throws an InputError for anything else, and for members of a wrong type. */
export function members(value: unknown, at: string): Members {
  if (!isObject(value)) throw new InputError(at, "must be an object");
  const read = new Set<string>();
  const take = (name: string): unknown => {
    read.add(name);
    return value[name] ?? undefined;
  };
  const fail = (name: string, problem: string): InputError =>
    new InputError(at === "" ? name : `${at}.${name}`, problem);
  const typed = <T>(name: string, is: (found: unknown) => found is T, wanted: string): T | undefined => {
    const found = take(name);
    if (found === undefined || is(found)) return found;
    throw fail(name, `must be ${wanted}`);
  };
  return {
    at,
    text: (name) => typed(name, isText, "a string"),
    requiredText: (name) => {
      const found = typed(name, isText, "a string");
      if (found === undefined || found === "") throw fail(name, "is required");
      return found;
    },
    amount: (name) => typed(name, isAmount, "a number, 0 or more"),
    flag: (name) => typed(name, isFlag, "true or false"),
    oneOf: (name, known) => {
      const found = take(name);
      const member = known.find((candidate) => candidate === found);
      if (found !== undefined && member === undefined) throw fail(name, `must be one of ${known.join(", ")}`);
      return member;
    },
    texts: (name) => typed(name, isTexts, "a list of strings"),
    object: (name) => typed(name, isObject, "an object"),
    list: (name) => {
      const found = typed(name, isObjects, "a list of objects") ?? [];
      return found.map((entry, index) => ({ value: entry, at: `${at === "" ? "" : `${at}.`}${name}[${index}]` }));
    },
    any: take,
    done: () => {
      const unknown = Object.keys(value).find((name) => !read.has(name));
      if (unknown !== undefined) throw fail(unknown, `is not known here; known are ${[...read].sort().join(", ")}`);
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isObjects(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
