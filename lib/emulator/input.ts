import { closest, distance } from "fastest-levenshtein";
import { isObject } from "./json.ts";

/** One thing that is wrong with what a person wrote: a seed, or an admin request. */
export interface InputFault {
  /** Where it is, such as `zones[0].quota` or `world.dns["a.net"]`; empty for the whole. */
  readonly at: string;
  /** What is wrong, as the rest of a sentence that begins with the place. */
  readonly problem: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** The offset of an error of syntax in the text: such an error has no place. */
  readonly offset?: number;
}

/** What a person wrote is wrong. Carries every fault that was found. */
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

/** What a member may be, and what to say about any other value. */
interface Reader<T> {
  is(value: unknown): value is T;
  problem(value: unknown): Omit<InputFault, "at">;
}

/** Readers of members by name. */
export type Readers<T> = { readonly [K in keyof T]: Reader<T[K]> };

/**
 * Reads the members of an object, each with its reader. Members that are undefined or null are left out. Throws an InputError for anything
 * but an object, a member of another type, and a member that has no reader: it is misspelt, or means nothing.
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

/** A text. */
export const TEXT: Reader<string> = {
  is: (value) => typeof value === "string",
  problem: (value) => ({ problem: wrongType("a string", value), ...quoteHint(value) }),
};

/** A number that is 0 or more. */
export const AMOUNT: Reader<number> = reader(
  "a number from 0",
  (value): value is number => typeof value === "number" && value >= 0,
);

/** A whole number that is 0 or more. */
export const COUNT: Reader<number> = reader(
  "a whole number from 0",
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
);

/** True or false. */
export const FLAG: Reader<boolean> = reader("true or false", (value) => typeof value === "boolean");

/** A list of texts. */
export const TEXTS: Reader<string[]> = reader(
  "a list of strings",
  (value): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string"),
);

/** A number. */
export const NUMBER: Reader<number> = reader("a number", (value) => typeof value === "number");

/** One of some texts. */
export function oneOf<T extends string>(choices: readonly T[]): Reader<T> {
  return {
    is: (value): value is T => choices.some((choice) => choice === value),
    problem: (value) => wrongChoice(value, choices),
  };
}

/** What is wrong with a value that is none of the choices. */
export function wrongChoice(value: unknown, choices: readonly string[]): Omit<InputFault, "at"> {
  const meant = suggestion(value, choices);
  const problem = `is ${shown(value)}, expected ${choices.join(", ")}`;
  return meant === undefined ? { problem } : { problem, remedy: meant };
}

/** What is wrong with a key that is none of the known ones. */
export function unknownKey(key: string, known: readonly string[]): Omit<InputFault, "at"> {
  const choices = known.toSorted();
  const meant = suggestion(key, choices);
  const list = `known here: ${choices.join(", ")}`;
  return { problem: "is not a known key", remedy: meant === undefined ? list : `${meant} ${list}` };
}

/** What is wrong with a value of another type. The value itself is not shown: it may be a credential. */
export function wrongType(wanted: string, value: unknown): string {
  return `is ${typeName(value)}, expected ${wanted}`;
}

/** The remedy for a number or a boolean where a text is wanted. */
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

/** Long texts are not shown: they may be credentials. */
function shown(value: unknown): string {
  return typeof value === "string" && value.length <= 30 ? JSON.stringify(value) : typeName(value);
}

/** A question that names the word that was probably meant. */
function suggestion(written: unknown, choices: readonly string[]): string | undefined {
  if (typeof written !== "string" || choices.length === 0) return undefined;
  const nearest = closest(written.toLowerCase(), [...choices]);
  const isNear = distance(written.toLowerCase(), nearest) <= Math.max(2, nearest.length / 3);
  const longer = choices.filter((choice) => choice.includes(written));
  const meant = isNear ? nearest : longer.length === 1 ? longer[0] : undefined;
  return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`;
}
