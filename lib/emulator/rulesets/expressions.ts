import type { ParseOptions } from "../../rules-language/names.ts";
import { parse, parseValue } from "../../rules-language/parser.ts";
import type { Problem } from "../../rules-language/problems.ts";
import { isObject, type Json } from "../json.ts";
import { invalidValue } from "./shape.ts";

/**
 * Checks every expression in a rule: its own, that of its rate limit, and those that compute its parameters. Throws a 400 in the
 * words of the service (docs/service.md#expressions).
 */
export function checkExpressions(rule: Json, context: ParseOptions, pointer: string): void {
  if (!isObject(rule)) return;
  for (const [name, value] of Object.entries(rule)) {
    const at = `${pointer}/${name}`;
    if (typeof value === "string" && isExpression(name, at)) checkExpression(name, value, context, at);
    else checkExpressions(value, context, at);
  }
}

function isExpression(name: string, pointer: string): boolean {
  return name === "expression" || name.endsWith("_expression") || pointer.endsWith("/from_list/key");
}

function checkExpression(name: string, text: string, context: ParseOptions, pointer: string): void {
  // An empty counting expression is none.
  if (name === "counting_expression" && text === "") return;
  if (text.trim() === "") throw invalidValue(text, pointer, "the expression cannot be blank", 20125);
  const isParameter = pointer.includes("/action_parameters/") || pointer.includes("/exposed_credential_check/");
  const { problems } = (isParameter ? parseValue : parse)(text, context);
  const tooLarge = problems.find(({ code }) => code === "too-large");
  if (tooLarge !== undefined) throw invalidValue(text, pointer, tooLarge.message);
  const error = parsingError(text, problems);
  if (error !== undefined) throw invalidValue(text, pointer, `could not parse filter expression: ${error}`);
}

/** The error of the service's parser for a condition; undefined if there is none. */
export function conditionError(text: string): string | undefined {
  return parsingError(text, parse(text).problems);
}

/**
 * The first problem in the layout of the service's parser: its line and column, the line, and a mark under the place. The reason has
 * other words.
 */
function parsingError(text: string, problems: readonly Problem[]): string | undefined {
  const problem = problems.find((each) => isRefused(text, each));
  if (problem === undefined) return undefined;
  const { start, end } = problem.span;
  const before = text.slice(0, start).split("\n");
  const column = before.at(-1)?.length ?? 0;
  const line = text.split("\n")[before.length - 1] ?? "";
  const mark = "^".repeat(Math.max(1, Math.min(end - start, line.length - column)));
  const place = `(${before.length}:${column + 1})`;
  return `Filter parsing error ${place}:\n${line}\n${" ".repeat(column)}${mark} ${problem.message}`;
}

/**
 * Whether the service refuses it. A name that no table has is refused, and so is a field of the response in a phase of the request.
 * Any other field that is not in the phase is not, because the service may have it there.
 */
function isRefused(text: string, { code, isWarning, span }: Problem): boolean {
  if (isWarning !== true || code === "unknown-name") return true;
  return code === "not-in-phase" && /^(?:cf|http)\.response\./.test(text.slice(span.start, span.end));
}
