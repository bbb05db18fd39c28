import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { type Diagnostic, error } from "../core/diagnostic.ts";
import { isList, isObject, type Json } from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import type { Located, Steps } from "./document.ts";
import { quote } from "./quote.ts";
import { listed, nameOf } from "./schema-keys.ts";
import type { SchemaProblem } from "#validators";

/** The value that a problem is about; the top of a file is one as well. */
export type Part = Pick<Located, "value" | "at" | "written">;

/** What to say about a value that is not as the schema wants it. */
export function valueProblem(problem: SchemaProblem, path: Steps, found: Part): Diagnostic {
  const { at, value } = found;
  const name = nameOf(path);
  const schema: { readonly [key: string]: unknown } = problem.parentSchema ?? {};
  switch (problem.keyword) {
    case "type":
      return typeProblem(problem, name, found, schema);
    case "enum":
    case "const":
      return enumProblem(problem, name, found);
    case "minLength":
      return error({
        code: "empty-value",
        message: `${name} is empty`,
        remedy: "write a value, or remove the key",
        at,
      });
    case "maxLength":
      return error({
        code: "too-long",
        message: `${name} is longer than ${String(problem.params["limit"])} characters`,
        remedy: "make it shorter",
        at,
      });
    case "pattern":
      return error({
        code: "malformed-value",
        message: `${name} is ${quote(value)}, which has not the form that is wanted`,
        remedy: example(schema),
        at,
      });
    case "minimum":
    case "maximum":
      return error({
        code: "out-of-range",
        message: `${name} should be at ${problem.keyword === "minimum" ? "least" : "most"} ${String(problem.params["limit"])}, but is ${quote(value)}`,
        remedy: "write a number in range",
        at,
      });
    case "minItems":
    case "minProperties":
      return error({
        code: "too-few",
        message: isSecret(schema)
          ? `${name} should be { env: NAME } or { file: PATH }, but is an empty map`
          : `${name} should have at least ${String(problem.params["limit"])}, but has none`,
        remedy: "add one, or remove the key",
        at,
      });
    case "maxItems":
    case "maxProperties":
      return error({
        code: "too-many",
        message: isSecret(schema)
          ? `${name} has both env and file`
          : `${name} has more than ${String(problem.params["limit"])}`,
        remedy: isSecret(schema) ? "keep one of the two" : "split it up",
        at,
      });
    default:
      return error({
        code: "invalid-value",
        message: `${name} ${problem.message ?? "is not valid"}`,
        remedy: example(schema),
        at,
      });
  }
}

function typeProblem(
  problem: SchemaProblem,
  name: string,
  { value, at, written }: Part,
  schema: { readonly [key: string]: unknown },
): Diagnostic {
  const wanted: readonly string[] = [problem.params["type"]].flat().map(String);
  const say = (code: DiagnosticCode, message: string, remedy: string): Diagnostic =>
    error({ code, message, remedy, at });
  if (isSecret(schema)) {
    const isLiteral = isScalar(value) && value !== null;
    return isLiteral
      ? say(
          "literal-secret",
          `${name} should be a reference, but holds the value itself (not shown)`,
          "write { env: NAME } or { file: PATH }, and replace the secret: it has been in a file",
        )
      : say(
          "wrong-type",
          `${name} should be { env: NAME } or { file: PATH }`,
          "write one of the two, or remove the key",
        );
  }
  const message = `${name} should be ${wanted
    .filter((type) => type !== "null")
    .map(typeName)
    .join(" or ")}, but ${whatIs(value, written)}`;
  return say("wrong-type", message, typeRemedy(wanted, value, written, schema));
}

function typeRemedy(
  wanted: readonly string[],
  value: Json,
  written: string | undefined,
  schema: { readonly [key: string]: unknown },
): string {
  if (!isScalar(value)) return example(schema);
  if (value === null) return "give it a value, or remove the key";
  if (wanted.includes("string") && written !== undefined) {
    const { pattern } = schema;
    if (typeof pattern === "string" && !new RegExp(pattern).test(written)) return example(schema);
    return `put it in quotes: ${JSON.stringify(written)}`;
  }
  if (wanted.includes("boolean") && typeof value === "string") {
    if (/^(yes|on|y|true)$/i.test(value)) return `write true (without quotes), not ${value}`;
    if (/^(no|off|n|false)$/i.test(value)) return `write false (without quotes), not ${value}`;
  }
  return example(schema);
}

function enumProblem(problem: SchemaProblem, name: string, { value, at, written }: Part): Diagnostic {
  const listedValues: unknown = problem.params["allowedValues"] ?? [problem.params["allowedValue"]];
  const allowed = Array.isArray(listedValues) ? listedValues.filter((item) => item !== null) : [];
  const texts = allowed.filter((item): item is string => typeof item === "string");
  const choice = listed(
    "use one of",
    allowed.map((item) => JSON.stringify(item)),
  );
  if (typeof value === "boolean" && texts.includes("on")) {
    return error({
      code: "wrong-type",
      message: `${name} should be a text, but is ${String(value)}`,
      remedy: `write ${value ? '"on"' : '"off"'}`,
      at,
    });
  }
  if (typeof value === "number" && texts.includes(written ?? "")) {
    return error({
      code: "wrong-type",
      message: `${name} should be a text, but is the number ${written ?? ""}`,
      remedy: `put it in quotes: ${JSON.stringify(written)}`,
      at,
    });
  }
  const near = typeof value === "string" ? didYouMean(value, texts) : "";
  return error({
    code: "unknown-value",
    message: `${name} cannot be ${quote(value)}`,
    remedy: near === "" ? choice : `${near} (${choice})`,
    at,
  });
}

function isSecret(schema: { readonly [key: string]: unknown }): boolean {
  return schema["title"] === "Secret reference";
}

function isScalar(value: Json): value is string | number | boolean | null {
  return !isObject(value) && !isList(value);
}

function whatIs(value: Json, written: string | undefined): string {
  if (!isScalar(value)) return isList(value) ? "is a list" : "is a map";
  if (value === null) return "has no value";
  if (typeof value === "number") return `is the number ${written ?? String(value)}`;
  return `is ${quote(value)}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  array: "a list",
  object: "a map",
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

function example(schema: { readonly [key: string]: unknown }): string {
  const { examples } = schema;
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return first === undefined
    ? "see the configuration reference for its form"
    : `write it as in ${JSON.stringify(first)}`;
}
