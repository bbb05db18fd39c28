import { type Diagnostic, error, problem } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { isList, isObject, type Json } from "../core/json.ts";
import { looksSecret } from "../core/key-material.ts";
import { didYouMean } from "../core/suggest.ts";
import type { Located, Steps } from "./document.ts";
import { type Schema, shapeOf, shapeWith, thingAt, quote } from "./shapes.ts";
import type { SchemaProblem } from "#validators";

/** The value with the problem, perhaps the top of a file. */
export type Part = Pick<Located, "value" | "at" | "written">;

/** How many allowed values a remedy lists. */
const MOST_LISTED = 24;

/** Explains a value that the schema does not allow. */
export function valueProblem(problem: SchemaProblem, path: Steps, found: Part): Diagnostic {
  const { at, value } = found;
  const name = thingAt(path);
  const schema: Schema = problem.parentSchema ?? {};
  const limit = String(problem.params["limit"]);
  const say = (code: DiagnosticCode, message: string, remedy: string): Diagnostic =>
    error({ code, message, remedy, at });
  switch (problem.keyword) {
    case "type":
      return typeProblem(problem, path, found, schema);
    case "enum":
    case "const":
      return enumProblem(problem, name, found);
    case "minLength":
    case "maxLength":
      return lengthProblem(problem.keyword, path, found, schema);
    case "pattern":
      return formatProblem(path, found, schema);
    case "minimum":
      return say("out-of-range", `${name} is ${quote(value)}, expected at least ${limit}`, `write ${limit} or more`);
    case "maximum":
      return say("out-of-range", `${name} is ${quote(value)}, expected at most ${limit}`, `write ${limit} or less`);
    case "minItems":
    case "minProperties":
      return isSecret(schema)
        ? say("too-few", `${name} is an empty map`, SECRET_REMEDY)
        : say("too-few", `${name} is empty`, `remove the key, or ${lowerFirst(shapeOf(path, schema))}`);
    case "maxItems":
    case "maxProperties":
      return isSecret(schema)
        ? say("too-many", `${name} has both env and file`, "keep one of the two")
        : say("too-many", `${name} has more than ${limit} entries`, "split it up");
    default:
      return say("invalid-value", `${name} ${problem.message ?? "is not valid"}`, shapeOf(path, schema));
  }
}

const SECRET_REMEDY = "write { env: NAME } or { file: PATH }";

function lengthProblem(
  keyword: "minLength" | "maxLength",
  path: Steps,
  { value, at }: Part,
  schema: Schema,
): Diagnostic {
  const name = thingAt(path);
  const length = typeof value === "string" ? value.length : 0;
  const [minLength, maxLength] = [schema["minLength"], schema["maxLength"]].map((limit) => JSON.stringify(limit));
  const remedy = isZoneId(path) ? ZONE_ID_REMEDY : shapeOf(path, schema);
  if (length === 0) return error({ code: "empty-value", message: `${name} is empty`, remedy, at });
  const expected =
    minLength === maxLength ? minLength : keyword === "minLength" ? `at least ${minLength}` : `at most ${maxLength}`;
  const code = keyword === "maxLength" && minLength !== maxLength ? "too-long" : "wrong-length";
  const message = `${name} has ${length === 1 ? "1 character" : `${length} characters`}, expected ${expected}`;
  return error({ code, message, remedy: code === "too-long" ? "make it shorter" : remedy, at });
}

const ZONE_ID_REMEDY = "copy the zone id from the zone's overview page";

function isZoneId(path: Steps): boolean {
  return path.join(".") === "zone.id";
}

/** The ids of the service. */
const HEX_ID = "^[0-9a-f]{32}$";

/** Names the wrong letter instead of repeating a value that could be a secret. */
function formatProblem(path: Steps, { value, at }: Part, schema: Schema): Diagnostic {
  const name = thingAt(path);
  const text = typeof value === "string" ? value : "";
  const remedy = isZoneId(path) ? ZONE_ID_REMEDY : shapeOf(path, schema);
  const say = (message: string, todo = remedy): Diagnostic =>
    error({ code: "malformed-value", message: `${name} ${message}`, remedy: todo, at });
  if (schema["pattern"] === HEX_ID) {
    if (new RegExp(HEX_ID).test(text.toLowerCase())) return say("has upper-case letters", "write it in lower case");
    const wrong = text.search(/[^0-9a-f]/);
    if (wrong >= 0) return say(`has ${quote(text[wrong])} as character ${wrong + 1}, expected only 0-9 and a-f`);
  }
  if (isZoneName(path)) return say(`is ${quote(value)}, which is not a domain name`);
  return say(
    looksSecret(text)
      ? "has the wrong format (not shown: it looks like a secret)"
      : `has the wrong format: ${quote(value)}`,
  );
}

function isZoneName(path: Steps): boolean {
  return path.join(".") === "zone.name";
}

function typeProblem(problem: SchemaProblem, path: Steps, { value, at, written }: Part, schema: Schema): Diagnostic {
  const name = thingAt(path);
  const wanted: readonly string[] = [problem.params["type"]].flat().map(String);
  if (isSecret(schema)) return secretProblem(name, value, at);
  const types = wanted.filter((type) => type !== "null").map(typeName);
  const message = `${name} must be ${types.join(" or ")}, but ${whatIs(value, written)}`;
  return error({ code: "wrong-type", message, remedy: typeRemedy(wanted, path, { value, written }, schema), at });
}

function secretProblem(name: string, value: Json, at: Part["at"]): Diagnostic {
  const isLiteral = isScalar(value) && value !== null;
  return isLiteral
    ? error(problem("literal-secret", { message: `${name} contains the secret itself (not shown)` }, { at }))
    : error({ code: "wrong-type", message: `${name} is not a reference to a secret`, remedy: SECRET_REMEDY, at });
}

function typeRemedy(
  wanted: readonly string[],
  path: Steps,
  { value, written }: Pick<Part, "value" | "written">,
  schema: Schema,
): string {
  if (!isScalar(value)) return shapeOf(path, schema);
  if (value === null && (wanted.includes("string") || wanted.includes("boolean")))
    return "write a value, or remove the key";
  if (wanted.includes("string") && written !== undefined && value !== null) {
    const { pattern } = schema;
    if (isZoneId(path)) return `${ZONE_ID_REMEDY}, and put it in quotes`;
    if (typeof pattern === "string" && !new RegExp(pattern).test(written)) return shapeOf(path, schema);
    return `put it in quotes: ${JSON.stringify(written)}`;
  }
  if (wanted.includes("boolean") && typeof value === "string") {
    if (/^(yes|on|y|true)$/i.test(value)) return "write true, without quotes";
    if (/^(no|off|n|false)$/i.test(value)) return "write false, without quotes";
  }
  const isShown = typeof value === "string" && value !== "" && value.length <= 100 && !looksSecret(value);
  return (isShown ? shapeWith(path, schema, value) : undefined) ?? shapeOf(path, schema);
}

function enumProblem(problem: SchemaProblem, name: string, { value, at, written }: Part): Diagnostic {
  const listedValues: unknown = problem.params["allowedValues"] ?? [problem.params["allowedValue"]];
  const allowed = Array.isArray(listedValues) ? listedValues.filter((item) => item !== null && item !== "") : [];
  const texts = allowed.filter((item): item is string => typeof item === "string");
  const say = (code: DiagnosticCode, message: string, remedy: string): Diagnostic =>
    error({ code, message: `${name} ${message}`, remedy, at });
  if (typeof value === "boolean" && texts.includes("on"))
    return say("wrong-type", `must be "on" or "off", but is ${String(value)}`, `write ${value ? '"on"' : '"off"'}`);
  if (typeof value === "number" && texts.includes(written ?? ""))
    return say(
      "wrong-type",
      `must be a string, but is the number ${written ?? ""}`,
      `put it in quotes: ${JSON.stringify(written)}`,
    );
  // Numbers and versions with similar characters may be far apart, so only words get a suggestion.
  const near = typeof value === "string" && /[a-z]/i.test(value) ? didYouMean(value, texts) : "";
  return say("unknown-value", `cannot be ${quote(value)}`, near || choice(allowed));
}

function choice(allowed: readonly unknown[]): string {
  if (allowed.length === 1) return `write ${JSON.stringify(allowed[0])}`;
  const shown = allowed.slice(0, MOST_LISTED).map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  return `use one of: ${shown.join(", ")}${allowed.length > MOST_LISTED ? ", …" : ""}`;
}

function isSecret(schema: Schema): boolean {
  return schema["title"] === "Secret reference";
}

function isScalar(value: Json): value is string | number | boolean | null {
  return !isObject(value) && !isList(value);
}

function whatIs(value: Json, written: string | undefined): string {
  if (!isScalar(value)) return isList(value) ? "is a list" : "is a map";
  if (value === null) return "has no value";
  if (typeof value === "number") return `is the number ${written ?? String(value)}`;
  return typeof value === "boolean" ? `is ${String(value)}` : `is the string ${quote(value)}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  array: "a list",
  object: "a map",
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
