import type { Schema, SchemaProblem } from "#seed-validators";
import { type InputFault, quoteHint, unknownKey, wrongChoice, wrongType } from "../input.ts";
import { isObject } from "../json.ts";

/** Puts the violations of a schema into words for the person who wrote the value: one fault for each place. */
export function schemaFaults(value: unknown, at: string, problems: readonly SchemaProblem[]): InputFault[] {
  // If no alternative of an `anyOf` fits, each alternative is a problem too, which says less than that of the whole.
  const choices = problems.filter(({ keyword }) => keyword === "anyOf");
  const isPart = ({ schemaPath }: SchemaProblem): boolean =>
    choices.some((choice) => schemaPath.startsWith(`${choice.schemaPath}/`));
  const faults = new Map<string, InputFault>();
  for (const problem of problems) {
    const fault = faultOf(problem, placeOf(value, at, problem.instancePath));
    if (!isPart(problem) && !faults.has(fault.at)) faults.set(fault.at, fault);
  }
  return [...faults.values()];
}

function faultOf({ keyword, params, data, parentSchema }: SchemaProblem, at: string): InputFault {
  const { missingProperty: missing, additionalProperty: unknown } = params;
  if (typeof missing === "string") return missingFault(below(at, missing));
  if (typeof unknown === "string")
    return { at: below(at, unknown), ...unknownKey(unknown, Object.keys(parentSchema.properties ?? {})) };
  if (keyword === "minLength") return missingFault(at);
  const { enum: choices, pattern = "" } = parentSchema;
  if (choices !== undefined) return { at, ...wrongChoice(data, choices) };
  if (keyword === "pattern") return { at, ...(MISSHAPEN[pattern]?.(String(data)) ?? NOT_A_TIME) };
  const hint = parentSchema.type === "string" ? quoteHint(data) : {};
  return { at: at === "" ? "the seed" : at, problem: wrongType(wantedBy(parentSchema), data), ...hint };
}

function missingFault(at: string): InputFault {
  return { at, problem: "is missing", remedy: `add ${at.replace(/^.*\./, "")}` };
}

/** What to say about a string that does not match its pattern. Any other pattern is that of a time. */
const MISSHAPEN: Readonly<Record<string, (text: string) => Omit<InputFault, "at">>> = {
  "^[0-9a-f]{32}$": (text) => ({
    problem: `${text.length === 32 ? "has other characters" : `has ${text.length} characters`}, expected 32 hexadecimal digits in lower case`,
    remedy: "make one with: openssl rand -hex 16",
  }),
  "\\{n\\}": () => ({
    problem: "does not contain {n}",
    remedy: "write {n} where the number goes, as in app{n}.customers.net",
  }),
};

const NOT_A_TIME = { problem: "is not an ISO 8601 time", remedy: "write it as 2026-11-21T08:00:00Z" };

/** What the schema expects, in words. */
function wantedBy({ type, items, anyOf }: Schema): string {
  if (anyOf !== undefined) return anyOf.map((each) => each.enum?.join(", ") ?? wantedBy(each)).join(" or ");
  if (type === "array") return items?.type === "string" ? "a list of strings" : "a list";
  return WANTED[type ?? ""] ?? "another value";
}

const WANTED: Readonly<Record<string, string>> = {
  boolean: "true or false",
  integer: "a whole number from 0",
  null: "null",
  object: "a map",
  string: "a string",
};

/** Translates a JSON pointer to a place as people write it: `zones[0].quota`, `dns["a.net"]`. */
function placeOf(value: unknown, at: string, pointer: string): string {
  let place = at;
  let inside = value;
  for (const step of pointer.split("/").slice(1).map(unescaped)) {
    place = Array.isArray(inside) ? `${place}[${step}]` : below(place, step);
    inside = Array.isArray(inside) ? inside[Number(step)] : isObject(inside) ? inside[step] : undefined;
  }
  return place;
}

function below(at: string, name: string): string {
  if (!/^\w+$/.test(name)) return `${at}[${JSON.stringify(name)}]`;
  return at === "" ? name : `${at}.${name}`;
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
