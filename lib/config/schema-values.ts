import { type Diagnostic, error } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import type { Json } from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import type { Node, NodePath } from "./node.ts";
import { nameOf } from "./node-path.ts";
import { quote } from "./quote.ts";
import { listed } from "./schema-keys.ts";
import type { SchemaProblem } from "./schema-problem.ts";

/** What to say about a value that is not as the schema wants it. */
export function valueProblem(problem: SchemaProblem, path: NodePath, node: Node): Diagnostic {
  const { at } = node;
  const name = nameOf(path);
  const schema: { readonly [key: string]: unknown } = problem.parentSchema ?? {};
  switch (problem.keyword) {
    case "type":
      return typeProblem(problem, name, node, schema);
    case "enum":
    case "const":
      return enumProblem(problem, name, node);
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
        message: `${name} is ${quote(scalarOf(node))}, which has not the form that is wanted`,
        remedy: example(schema),
        at,
      });
    case "minimum":
    case "maximum":
      return error({
        code: "out-of-range",
        message: `${name} should be at ${problem.keyword === "minimum" ? "least" : "most"} ${String(problem.params["limit"])}, but is ${quote(scalarOf(node))}`,
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
  node: Node,
  schema: { readonly [key: string]: unknown },
): Diagnostic {
  const wanted: readonly string[] = [problem.params["type"]].flat().map(String);
  const say = (code: DiagnosticCode, message: string, remedy: string): Diagnostic =>
    error({ code, message, remedy, at: node.at });
  if (isSecret(schema)) {
    const isLiteral = node.kind === "scalar" && node.value !== null;
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
    .join(" or ")}, but ${found(node)}`;
  return say("wrong-type", message, typeRemedy(wanted, node, schema));
}

function typeRemedy(wanted: readonly string[], node: Node, schema: { readonly [key: string]: unknown }): string {
  if (node.kind !== "scalar") return example(schema);
  if (node.value === null) return "give it a value, or remove the key";
  if (wanted.includes("string") && node.written !== undefined) {
    const { pattern } = schema;
    if (typeof pattern === "string" && !new RegExp(pattern).test(node.written)) return example(schema);
    return `put it in quotes: ${JSON.stringify(node.written)}`;
  }
  if (wanted.includes("boolean") && typeof node.value === "string") {
    if (/^(yes|on|y|true)$/i.test(node.value)) return `write true (without quotes), not ${node.value}`;
    if (/^(no|off|n|false)$/i.test(node.value)) return `write false (without quotes), not ${node.value}`;
  }
  return example(schema);
}

function enumProblem(problem: SchemaProblem, name: string, node: Node): Diagnostic {
  const value = scalarOf(node);
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
      at: node.at,
    });
  }
  if (typeof value === "number" && node.kind === "scalar" && texts.includes(node.written ?? "")) {
    return error({
      code: "wrong-type",
      message: `${name} should be a text, but is the number ${node.written ?? ""}`,
      remedy: `put it in quotes: ${JSON.stringify(node.written)}`,
      at: node.at,
    });
  }
  const near = typeof value === "string" ? didYouMean(value, texts) : "";
  return error({
    code: "unknown-value",
    message: `${name} cannot be ${quote(value)}`,
    remedy: near === "" ? choice : `${near} (${choice})`,
    at: node.at,
  });
}

function isSecret(schema: { readonly [key: string]: unknown }): boolean {
  return schema["title"] === "Secret reference";
}

function scalarOf(node: Node): Json {
  if (node.kind === "scalar") return node.value;
  return node.kind === "list" ? [] : {};
}

function found(node: Node): string {
  if (node.kind !== "scalar") return node.kind === "list" ? "is a list" : "is a map";
  if (node.value === null) return "has no value";
  if (typeof node.value === "number") return `is the number ${node.written ?? String(node.value)}`;
  return `is ${quote(node.value)}`;
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
