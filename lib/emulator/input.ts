import { closest, distance } from "fastest-levenshtein";
import { isObject } from "./json.ts";

/** One mistake in what a person wrote: a seed, or an admin request. */
export interface InputFault {
  /** Where it is, such as `zones[0].quota` or `world.dns["a.net"]`; "" for the input as a whole. */
  readonly at: string;
  /** What is wrong. It continues a sentence that begins with the place. */
  readonly problem: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** The offset of a syntax error in the text, because such an error has no place. */
  readonly offset?: number;
}

/** Thrown for mistakes in what a person wrote, with all that were found. */
export class InputError extends Error {
  readonly faults: readonly InputFault[];

  constructor(...faults: readonly InputFault[]) {
    super(faults.map(faultText).join("; "));
    this.name = "InputError";
    this.faults = faults;
  }
}

/** A fault as a sentence. */
export function faultText({ at, problem }: InputFault): string {
  return at === "" ? problem : `${at} ${problem}`;
}

/** Which values a member may have, and what to say about any other value. */
interface Reader<T> {
  is(value: unknown): value is T;
  problem(value: unknown): Omit<InputFault, "at">;
}

/** The readers of an object's members, by name. */
export type Readers<T> = { readonly [K in keyof T]: Reader<T[K]> };

/**
 * Reads the members of an object, each with its reader, and leaves out members that are undefined or null. Throws an InputError
 * for a value that is not an object, for a member with a wrong value, and for a member without a reader, which may be misspelt.
 */
export function readMembers<T>(value: unknown, at: string, readers: Readers<T>): { [K in keyof T]?: T[K] };
export function readMembers(value: unknown, at: string, readers: Readers<Record<string, unknown>>): object {
  if (!isObject(value)) throw new InputError({ at, problem: wrongType("a map", value) });
  const given = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const faults = given.flatMap(([name, member]): InputFault[] => {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    const place = at === "" ? name : `${at}.${name}`;
    if (reader === undefined) return [{ at: place, ...unknownKey(name, Object.keys(readers)) }];
    return reader.is(member) ? [] : [{ at: place, ...reader.problem(member) }];
  });
  if (faults.length > 0) throw new InputError(...faults);
  return Object.fromEntries(given);
}

function reader<T>(wanted: string, is: (value: unknown) => value is T): Reader<T> {
  return { is, problem: (value) => ({ problem: wrongType(wanted, value) }) };
}

/** Reads a string. */
export const TEXT: Reader<string> = {
  is: (value) => typeof value === "string",
  problem: (value) => ({ problem: wrongType("a string", value), ...quoteHint(value) }),
};

/** Reads a number from 0. */
export const AMOUNT: Reader<number> = reader(
  "a number from 0",
  (value): value is number => typeof value === "number" && value >= 0,
);

/** Reads a whole number from 0. */
export const COUNT: Reader<number> = reader(
  "a whole number from 0",
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
);

/** Reads true or false. */
export const FLAG: Reader<boolean> = reader("true or false", (value) => typeof value === "boolean");

/** Reads a list of strings. */
export const TEXTS: Reader<string[]> = reader(
  "a list of strings",
  (value): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string"),
);

/** Reads any number. */
export const NUMBER: Reader<number> = reader("a number", (value) => typeof value === "number");

/** Reads one of the choices. */
export function oneOf<T extends string>(choices: readonly T[]): Reader<T> {
  return {
    is: (value): value is T => choices.some((choice) => choice === value),
    problem: (value) => wrongChoice(value, choices),
  };
}

/** The problem of a value that is not one of the choices, and its remedy. */
export function wrongChoice(value: unknown, choices: readonly string[]): Omit<InputFault, "at"> {
  const meant = suggestion(value, choices);
  const problem = `is ${shown(value)}, expected ${choices.join(", ")}`;
  return meant === undefined ? { problem } : { problem, remedy: meant };
}

/** The problem of a key that is not known, and its remedy. */
export function unknownKey(key: string, known: readonly string[]): Omit<InputFault, "at"> {
  const choices = known.toSorted();
  const meant = suggestion(key, choices);
  const list = `known here: ${choices.join(", ")}`;
  return { problem: "is not a known key", remedy: meant === undefined ? list : `${meant} ${list}` };
}

/** The problem of a value with a wrong type. It does not show the value, which may be a credential. */
export function wrongType(wanted: string, value: unknown): string {
  return `is ${typeName(value)}, expected ${wanted}`;
}

/** The remedy for a number or a boolean where a string is expected. */
export function quoteHint(value: unknown): Pick<InputFault, "remedy"> {
  return typeof value === "number" || typeof value === "boolean" ? { remedy: "put it in quotes" } : {};
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "number") return "a number";
  return typeof value === "boolean" ? String(value) : "a string";
}

/** The value for a message. A long string is not shown, because it may be a credential. */
function shown(value: unknown): string {
  return typeof value === "string" && value.length <= 30 ? JSON.stringify(value) : typeName(value);
}

/** A question with the choice that was probably meant. */
function suggestion(written: unknown, choices: readonly string[]): string | undefined {
  if (typeof written !== "string" || choices.length === 0) return undefined;
  const nearest = closest(written.toLowerCase(), [...choices]);
  const isNear = distance(written.toLowerCase(), nearest) <= Math.max(2, nearest.length / 3);
  const longer = choices.filter((choice) => choice.includes(written));
  const meant = isNear ? nearest : longer.length === 1 ? longer[0] : undefined;
  return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`;
}
