import { closest, distance } from "fastest-levenshtein";
import { isObject, type JsonObject } from "./json.ts";

/** One thing that is wrong with what a person wrote: a seed, or an admin request. */
export interface InputFault {
  /** Where it is, such as `zones[0].quota` or `world.dns["a.net"]`; empty for the whole. */
  readonly at: string;
  /** What is wrong, as the rest of a sentence that begins with the place. */
  readonly problem: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Where it is in the text, for what no place names: an error of syntax. */
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

/** Is called with a fault. If it throws, reading ends; if it returns, reading continues to the next fault. */
export type ReportFault = (fault: InputFault) => void;

/** Reads the members of one object, and finds the ones that are not known. */
export interface Members {
  /** Where the object is, such as `zones[0].quota`. */
  readonly at: string;
  text(name: string): string | undefined;
  /** Empty where it is missing, which is reported. */
  requiredText(name: string): string;
  /** A number that is 0 or more. */
  amount(name: string): number | undefined;
  /** A whole number that is 0 or more. */
  count(name: string): number | undefined;
  flag(name: string): boolean | undefined;
  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined;
  texts(name: string): string[] | undefined;
  object(name: string): JsonObject | undefined;
  /** The object of that name, to read its members. */
  below(name: string): Members | undefined;
  /** The objects of an array, to read their members. */
  list(name: string): Members[];
  /** The object of that name, whose keys are free, with what `read` makes of each value. */
  each<T>(name: string, read: (value: unknown, at: string, report: ReportFault) => T): Record<string, T>;
  /** The objects of an array, as they are. */
  objects(name: string): JsonObject[];
  /** Any value; undefined for null. */
  any(name: string): unknown;
  /** Any value, also null. */
  given(name: string): unknown;
  /** Reports what is wrong with a member. */
  report(name: string, problem: string, remedy?: string): void;
  /** Reports the members that were not read: each is misspelt, or means nothing. */
  done(): void;
}

/** Reads an object. Reports anything else, and members of a wrong type; without `report` the first fault is thrown as an InputError. */
export function members(value: unknown, at: string, report: ReportFault = throwFault): Members {
  if (!isObject(value)) report({ at, problem: wrongType("a map", value) });
  const object = isObject(value) ? value : {};
  const known = new Set<string>();
  const placeOf = (name: string): string => (at === "" ? name : `${at}.${name}`);
  const take = (name: string): unknown => {
    known.add(name);
    return object[name] ?? undefined;
  };
  const fail = (name: string, problem: string, remedy?: string): undefined => {
    report({ at: placeOf(name), problem, ...(remedy === undefined ? {} : { remedy }) });
  };
  const typed = <T>(name: string, is: (found: unknown) => found is T, wanted: string): T | undefined => {
    const found = take(name);
    if (found === undefined || is(found)) return found;
    return fail(name, wrongType(wanted, found), wanted === TEXT ? quoted(found) : undefined);
  };
  const readers: Members = {
    at,
    text: (name) => typed(name, isText, TEXT),
    requiredText: (name) => {
      const found = typed(name, isText, TEXT);
      if (take(name) === undefined || found === "") fail(name, "is missing", `add ${name}`);
      return found ?? "";
    },
    amount: (name) => typed(name, isAmount, "a number from 0"),
    count: (name) => typed(name, isCount, "a whole number from 0"),
    flag: (name) => typed(name, isFlag, "true or false"),
    oneOf: (name, choices) => {
      const found = take(name);
      const member = choices.find((candidate) => candidate === found);
      if (found === undefined || member !== undefined) return member;
      return fail(name, `is ${shown(found)}, expected ${choices.join(", ")}`, suggestion(found, choices));
    },
    texts: (name) => typed(name, isTexts, "a list of strings"),
    object: (name) => typed(name, isObject, "a map"),
    below: (name) => {
      const found = typed(name, isObject, "a map");
      return found === undefined ? undefined : members(found, placeOf(name), report);
    },
    list: (name) => {
      const found = typed(name, isList, "a list") ?? [];
      return found.map((entry, index) => members(entry, `${placeOf(name)}[${index}]`, report));
    },
    each: (name, read) => {
      const entries = Object.entries(typed(name, isObject, "a map") ?? {});
      return Object.fromEntries(
        entries.map(([key, entry]) => [key, read(entry, `${placeOf(name)}[${JSON.stringify(key)}]`, report)]),
      );
    },
    objects: (name) => {
      const found = typed(name, isList, "a list") ?? [];
      return found.flatMap((entry, index) => {
        if (isObject(entry)) return [entry];
        report({ at: `${placeOf(name)}[${index}]`, problem: wrongType("a map", entry) });
        return [];
      });
    },
    any: take,
    given: (name) => {
      known.add(name);
      return object[name];
    },
    report: fail,
    done: () => {
      const unknown = Object.keys(object).filter((name) => !known.has(name));
      const choices = [...known].sort();
      for (const name of unknown)
        fail(
          name,
          "is not a known key",
          [...asked(suggestion(name, choices)), `known here: ${choices.join(", ")}`].join(" "),
        );
    },
  };
  return readers;
}

const TEXT = "a string";

function throwFault(fault: InputFault): never {
  throw new InputError(fault);
}

/** What is wrong with a value of another type. The value itself is not shown: it may be a credential. */
export function wrongType(wanted: string, found: unknown): string {
  return `is ${typeName(found)}, expected ${wanted}`;
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

function quoted(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "boolean" ? "put it in quotes" : undefined;
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

function asked(question: string | undefined): readonly string[] {
  return question === undefined ? [] : [question];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && isAmount(value);
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
