import { wordingFrom } from "../../core/diagnostic.ts";
import { defined, isList, isObject, type JsonObject } from "../../core/json.ts";
import type { Expression } from "../../rules-language/ast.ts";
import { format } from "../../rules-language/format.ts";
import {
  type Reach,
  compareReach as compare,
  excludes as exclude,
  implies as imply,
} from "../../rules-language/meaning.ts";
import { type Parsed, parse, parseValue } from "../../rules-language/parser.ts";
import type { Problem, ProblemCode } from "../../rules-language/problems.ts";
import { TABLE_DATE } from "../../rules-language/tables/fields.ts";
import { typeName } from "../../rules-language/types.ts";
import type { ValueProblem } from "../traits/declared.ts";

/** Codes that only expressions raise. */
export const CODES = {
  "expression-invalid": {
    cause: "Cloudflare would refuse the expression: it is incomplete, or compares a value with one of another type",
    message: "{message}",
    remedy: "correct the expression; docs/rules-language.md describes the language",
  },
  "expression-misspelt": {
    cause: "an expression uses a field, a function or a list that does not exist, but one that is almost the same does",
    message: "{message}",
    remedy:
      "correct the name; if Cloudflare is newer than this Zoneform, set rules: { unknown_fields: allow } in zoneform.yaml",
  },
  "expression-unknown-name": {
    cause: "an expression uses a field, a function or a list that was not documented when this Zoneform was made",
    message: "{message}",
    remedy:
      "check the name; to accept names that Zoneform does not know, set rules: { unknown_fields: allow } in zoneform.yaml",
  },
  "expression-not-in-phase": {
    cause: "a field or a function is not documented for the phase of the rule",
    message: "{message}",
    remedy: "move the rule to another phase, or use another field",
  },
  "expression-too-long": {
    cause: "an expression is longer than Cloudflare allows",
    message: "{message}",
    remedy: "shorten it, move long lists of values to a list of the account, or split the rule",
  },
} as const;

const problem = wordingFrom(CODES);

/** How many expressions to keep before all are dropped: more than two versions of the largest entry point have. */
const MOST_KNOWN = 4000;

/** Parsed expressions, kept because each rule is compared with many others. */
const known = new Map<string, Parsed>();

/** An expression whatever its phase and names: one that is live, the service accepted. */
function parsed(text: string): Parsed {
  const found = known.get(text);
  if (found) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const fresh = parse(text, { unknownNames: "allow" });
  known.set(text, fresh);
  return fresh;
}

/** An expression, unless it cannot be read as a whole: then it is only equal to itself. */
function expressionIn(text: string): Expression | undefined {
  return parsed(text).expression;
}

/** Whether the second expression matches each request that the first one matches. `true` is proven. */
export function implies(first: string, second: string): boolean {
  return first === second || withBoth(first, second, imply, false);
}

/** Whether no request matches both expressions. `true` is proven. */
export function excludes(first: string, second: string): boolean {
  return withBoth(first, second, exclude, false);
}

/** An expression as people read it: a clause on each line if it is long. Undefined if it cannot be read. */
export function layoutOf(text: string): string | undefined {
  const expression = expressionIn(text);
  return expression && format(expression);
}

/** What an edit of an expression does to the requests that it matches. */
export function compareReach(before: string, after: string): Reach {
  return before === after ? "same" : withBoth(before, after, compare, "unknown");
}

function withBoth<Result>(
  first: string,
  second: string,
  judge: (first: Expression, second: Expression) => Result,
  otherwise: Result,
): Result {
  const [one, other] = [expressionIn(first), expressionIn(second)];
  return one && other ? judge(one, other) : otherwise;
}

/** A string of a rule that is an expression. */
interface Written {
  readonly path: ValueProblem["path"];
  readonly text: string;
  /** It decides about requests; else it computes a string. */
  readonly isCondition: boolean;
}

/** What is wrong with the expressions of a rule, each at its place. `index` is the place of the rule. */
export function expressionProblems(phase: string, rule: JsonObject, index: number): readonly ValueProblem[] {
  return expressionsOf(rule, ["rules", index]).flatMap(({ path, text, isCondition }) => {
    const { problems, expression } = (isCondition ? parse : parseValue)(text, { phase });
    const found = problems.map((each) => ({ path, within: each.span.start, ...coded(each) }));
    return [...found, ...(isCondition || !expression ? [] : notText(expression, path))];
  });
}

function expressionsOf(of: JsonObject, at: ValueProblem["path"]): readonly Written[] {
  return Object.entries(of).flatMap(([key, value]): readonly Written[] => {
    const path = [...at, key];
    if (typeof value === "string" && /(?:^|_)expression$/.test(key))
      return [{ path, text: value, isCondition: at.length === 2 || key === "counting_expression" }];
    if (isObject(value)) return expressionsOf(value, path);
    return isList(value)
      ? value.flatMap((item, place) => (isObject(item) ? expressionsOf(item, [...path, place]) : []))
      : [];
  });
}

const CODE_OF = {
  syntax: "expression-invalid",
  type: "expression-invalid",
  "bad-pattern": "expression-invalid",
  "too-large": "expression-too-long",
  "misspelt-name": "expression-misspelt",
  "unknown-name": "expression-unknown-name",
  "not-in-phase": "expression-not-in-phase",
} as const satisfies Record<ProblemCode, keyof typeof CODES>;

/** The problem of the language with a code of ours. */
function coded({ code, message, remedy, isWarning }: Problem): Omit<ValueProblem, "path"> {
  const told = code === "unknown-name" ? `${message}; it was not documented on ${TABLE_DATE}` : message;
  const found = problem(CODE_OF[code], { message: told }, defined({ remedy }));
  return { ...found, ...(isWarning ? { isWarning } : {}) };
}

/** What rewrites and redirects compute has to be a string. */
function notText({ type }: Expression, path: ValueProblem["path"]): readonly ValueProblem[] {
  if (type === "string" || type === "unknown") return [];
  const message = `the expression computes a value of the type ${typeName(type)}, and a String is needed`;
  return [
    {
      path,
      ...problem("expression-invalid", { message }, { remedy: "make it a String, for example with to_string()" }),
    },
  ];
}
