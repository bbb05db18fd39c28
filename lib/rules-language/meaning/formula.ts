import type { Call, Expression, Value } from "../ast.ts";
import { FIELDS } from "../tables/fields.ts";
import { type Glob, glob, isComparable } from "./globs.ts";
import { isComputed, keyOf } from "./keys.ts";
import { onBase, type Test, testOf } from "./clauses.ts";

/** A condition without `not` and brackets: facts that hold or do not, joined by `and` and `or`. */
export type Formula = Fact | Joined | Exclusive;

interface Joined {
  readonly sort: "and" | "or";
  readonly parts: readonly Formula[];
}

/** An odd number of the operands hold; negated, an even number. Written out, it would double with each operand. */
export interface Exclusive {
  readonly sort: "xor";
  readonly operands: readonly Expression[];
  readonly isNegated: boolean;
}

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
    if (expression.operator === "xor") return { sort: "xor", operands: expression.operands, isNegated };
    return {
      sort: (expression.operator === "and") === isNegated ? "or" : "and",
      parts: expression.operands.map((operand) => formulaOf(operand, isNegated)),
    };
  }
  if (expression.kind !== "comparison") return truthOf(expression, isNegated);
  if (isComputed(expression.right)) return opaque(keyOf(expression), isNegated);
  return fact(expression.left, testOf(expression), isNegated, expression.operator === "ne");
}

/** The two ways in which an exclusive condition holds: with its first operand, and without it. */
export function waysOf({ operands, isNegated }: Exclusive): Formula {
  const [first, ...rest] = operands;
  if (first === undefined) return isNegated ? ALWAYS : NEVER;
  const way = (without: boolean): Formula => ({
    sort: "and",
    parts: [formulaOf(first, without), { sort: "xor", operands: rest, isNegated: without === isNegated }],
  });
  return { sort: "or", parts: [way(false), way(true)] };
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
  const [first] = value.arguments;
  if ((value.name === "any" || value.name === "all") && first !== undefined)
    return quantified(value.name, first, isNegated);
  const globs = affixOf(value);
  if (!globs || first === undefined || !isValue(first)) return fact(value, { sort: "truth" }, isNegated);
  return fact(first, { sort: "texts", globs }, isNegated);
}

/** The texts that `starts_with` or `ends_with` finds. */
function affixOf({ name, arguments: [, text] }: Call): readonly Glob[] | undefined {
  if ((name !== "starts_with" && name !== "ends_with") || text?.kind !== "string") return undefined;
  return isComparable(text.value) ? [glob(name === "starts_with" ? [text.value, ""] : ["", text.value])] : undefined;
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
  const [row, another] = new Set(rowsOf(inner));
  // The elements of several arrays are not those of one.
  if (row === undefined || another !== undefined) return opaque(`${sort}(${keyOf(inner)})`, isNegated);
  return {
    sort: "fact",
    subject: { key: `elements of ${row}`, mayLack: true },
    test: { sort, inner },
    isComplement: isNegated,
    holdsWithout: isNegated,
  };
}

/** A larger set is not taken apart: it is compared with other sets as a whole. */
const MOST_ALTERNATIVES = 8;

function alternativesOf(expression: Expression): readonly Expression[] {
  if (expression.kind === "logical" && expression.operator === "or")
    return new Set(rowsOf(expression)).size === 1 ? expression.operands : [expression];
  if (expression.kind !== "comparison" || expression.right.kind !== "set") return [expression];
  const { right } = expression;
  if (right.items.length > MOST_ALTERNATIVES) return [expression];
  return right.items.map((item) => ({ ...expression, right: { ...right, items: [item] } }));
}

/** What a condition inside of `any` or `all` is about: each value whose elements it looks at. */
function rowsOf(expression: Expression): readonly string[] {
  if (expression.kind === "group") return rowsOf(expression.inner);
  if (expression.kind === "not") return rowsOf(expression.operand);
  if (expression.kind === "logical") return expression.operands.flatMap(rowsOf);
  if (expression.kind === "comparison") return [keyOf(unwrapped(expression.left).base)];
  const value = expression.kind === "call" && affixOf(expression) ? expression.arguments[0] : expression;
  return value !== undefined && isValue(value) ? [keyOf(unwrapped(value).base)] : [keyOf(expression)];
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
