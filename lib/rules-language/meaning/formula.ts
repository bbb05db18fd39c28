import type { Expression, Value } from "../ast.ts";
import { FIELDS } from "../tables/fields.ts";
import { glob } from "./globs.ts";
import { isComputed, keyOf } from "./keys.ts";
import { onBase, type Test, testOf } from "./clauses.ts";

/** A condition without `not`, `xor` and brackets: facts that hold or do not, joined by `and` and `or`. */
export type Formula = Fact | { readonly sort: "and" | "or"; readonly parts: readonly Formula[] };

/** What one clause says about one value. */
export interface Fact {
  readonly sort: "fact";
  readonly subject: Subject;
  readonly test: Test;
  /** The value fails the test. */
  readonly isComplement: boolean;
  /** The fact also holds if there is no value. */
  readonly holdsWithout: boolean;
}

/** A value of the request. */
export interface Subject {
  /** Equal for equal values. */
  readonly key: string;
  /** The field that it is, if it is one by itself. */
  readonly field?: string;
  /** Whether a request may lack it: a key of a map, an element of an array, and what functions make of these. */
  readonly mayLack: boolean;
}

const ALWAYS: Formula = { sort: "and", parts: [] };
const NEVER: Formula = { sort: "or", parts: [] };

/** What an expression, or its negation, says. */
export function formulaOf(expression: Expression, isNegated = false): Formula {
  if (expression.kind === "group") return formulaOf(expression.inner, isNegated);
  if (expression.kind === "not") return formulaOf(expression.operand, !isNegated);
  if (expression.kind === "logical") {
    if (expression.operator === "xor") return exclusive(expression.operands, isNegated);
    return {
      sort: (expression.operator === "and") === isNegated ? "or" : "and",
      parts: expression.operands.map((operand) => formulaOf(operand, isNegated)),
    };
  }
  if (expression.kind !== "comparison") return truthOf(expression, isNegated);
  if (isComputed(expression.right)) return opaque(keyOf(expression), isNegated);
  return fact(expression.left, testOf(expression), isNegated, expression.operator === "ne");
}

function exclusive([first, ...rest]: readonly Expression[], isNegated: boolean): Formula {
  if (first === undefined) return isNegated ? ALWAYS : NEVER;
  if (rest.length === 0) return formulaOf(first, isNegated);
  const both = (one: boolean, other: boolean): Formula => ({
    sort: "and",
    parts: [formulaOf(first, one), exclusive(rest, other)],
  });
  return { sort: "or", parts: [both(isNegated, true), both(!isNegated, false)] };
}

/** A condition that is only compared with itself. */
function opaque(key: string, isNegated: boolean): Formula {
  const subject = { key, mayLack: true };
  return { sort: "fact", subject, test: { sort: "truth" }, isComplement: isNegated, holdsWithout: isNegated };
}

function fact(value: Value, test: Test, isNegated: boolean, isUnequal = false): Formula {
  const { base, change } = unwrapped(value);
  const changed = change === undefined ? test : onBase(test, change);
  return {
    sort: "fact",
    subject: subjectOf(changed === undefined ? value : base),
    test: changed ?? test,
    isComplement: isNegated !== isUnequal,
    holdsWithout: isNegated,
  };
}

/** A value that is a condition by itself: `ssl`, `true`, `starts_with(…)`, `any(…)`. */
function truthOf(value: Value, isNegated: boolean): Formula {
  if (value.kind === "bool") return value.value === isNegated ? NEVER : ALWAYS;
  if (value.kind !== "call") return fact(value, { sort: "truth" }, isNegated);
  const [first, second] = value.arguments;
  if ((value.name === "any" || value.name === "all") && first !== undefined)
    return quantified(value.name, first, isNegated);
  const isAffix = (value.name === "starts_with" || value.name === "ends_with") && second?.kind === "string";
  if (!isAffix || first === undefined || !isValue(first)) return fact(value, { sort: "truth" }, isNegated);
  const globs = [glob(value.name === "starts_with" ? [second.value, ""] : ["", second.value])];
  return fact(first, { sort: "texts", globs }, isNegated);
}

/** `any` of an `or`, or of a set, is an `or` of `any`. */
function quantified(sort: "any" | "all", inner: Expression, isNegated: boolean): Formula {
  if (inner.kind === "group") return quantified(sort, inner.inner, isNegated);
  const alternatives = sort === "any" ? alternativesOf(inner) : [inner];
  if (alternatives.length > 1)
    return {
      sort: isNegated ? "and" : "or",
      parts: alternatives.map((each) => quantified(sort, each, isNegated)),
    };
  // Without an array, all of its elements pass a comparison, and no other condition: docs/rules-language.md#what-a-condition-means-for-a-request
  if (sort === "all" && inner.kind !== "comparison") {
    return opaque(`all(${keyOf(inner)})`, isNegated);
  }
  const key = arraysOf(inner).join(" ");
  return {
    sort: "fact",
    subject: { key: `elements of ${key}`, mayLack: true },
    test: { sort, inner },
    isComplement: isNegated,
    holdsWithout: isNegated,
  };
}

function alternativesOf(expression: Expression): readonly Expression[] {
  if (expression.kind === "logical" && expression.operator === "or") return expression.operands;
  if (expression.kind !== "comparison" || expression.right.kind !== "set") return [expression];
  const { right } = expression;
  return right.items.map((item) => ({ ...expression, right: { ...right, items: [item] } }));
}

/** The arrays whose elements a condition is about. */
function arraysOf(expression: Expression): readonly string[] {
  if (expression.kind === "group") return arraysOf(expression.inner);
  if (expression.kind === "not") return arraysOf(expression.operand);
  if (expression.kind === "comparison") return arraysOf(expression.left);
  if (expression.kind === "logical") return [...new Set(expression.operands.flatMap(arraysOf))].toSorted();
  if (expression.kind === "call") return [...new Set(expression.arguments.flatMap(arraysOf))].toSorted();
  if (expression.kind !== "index") return [];
  return typeof expression.key === "object" && !isCall(expression.of)
    ? [keyOf(expression.of)]
    : arraysOf(expression.of);
}

function isCall(value: Value): boolean {
  return value.kind === "call";
}

function isValue(expression: Expression): expression is Value {
  return !["logical", "not", "group", "comparison"].includes(expression.kind);
}

/** `lower(x)` and `upper(x)` are tests of x itself. `[*]` after a call is about the same element as the one inside. */
function unwrapped(value: Value): { readonly base: Value; readonly change?: "lower" | "upper" } {
  const called = value.kind === "index" && typeof value.key === "object" && value.of.kind === "call" ? value.of : value;
  if (called.kind !== "call" || (called.name !== "lower" && called.name !== "upper")) return { base: value };
  const [inner] = called.arguments;
  return inner !== undefined && isValue(inner) && !isCall(inner)
    ? { base: inner, change: called.name }
    : { base: value };
}

function subjectOf(value: Value): Subject {
  const key = keyOf(value);
  if (value.kind !== "field") return { key, mayLack: !isElement(value) && mayLack(value) };
  return { key, field: value.name, mayLack: mayLack(value) };
}

/** Inside of `any` and `all`, an element is there. */
function isElement(value: Value): boolean {
  return value.kind === "index" && typeof value.key === "object" && !isCall(value.of);
}

/** What only changes texts has a value if its argument has one; of other functions we do not rely on it. */
const TOTAL: readonly string[] = ["lower", "upper", "len", "concat"];

function mayLack(value: Value): boolean {
  if (value.kind === "index") return true;
  // A zone without the product has no such score.
  if (value.kind === "field") return FIELDS.get(value.name)?.needs !== undefined || !FIELDS.has(value.name);
  if (value.kind !== "call") return false;
  return !TOTAL.includes(value.name) || value.arguments.some((each) => !isValue(each) || mayLack(each));
}
