import type { Comparison, ComparisonOperator, Expression, SetItem, TextLiteral, Value } from "../ast.ts";
import { type Glob, glob, globsOfPattern, isComparable } from "./globs.ts";
import { isComputed, rightKey } from "./keys.ts";
import { ALL_NUMBERS, LEAST, MOST, networkRange, type Range, type Ranges, union } from "../ranges.ts";

/** What a clause tests a value for. */
export type Test =
  | { readonly sort: "numbers"; readonly ranges: Ranges; readonly domain: Ranges }
  | { readonly sort: "addresses"; readonly ranges: Ranges }
  | { readonly sort: "texts"; readonly globs: readonly Glob[] }
  | { readonly sort: "truth" }
  /** Any element, or all elements, of an array. */
  | { readonly sort: "any" | "all"; readonly inner: Expression }
  /** Whatever else: equal tests have equal keys. */
  | { readonly sort: "other"; readonly key: string };

/** The test of a comparison. `ne` is the complement of `eq`: the caller knows. */
export function testOf(comparison: Comparison): Test {
  const { left, operator, right } = comparison;
  const other: Test = { sort: "other", key: `${operator === "ne" ? "eq" : operator} ${rightKey(right)}` };
  if (right.kind === "list" || isComputed(right)) return other;
  const items = right.kind === "set" ? right.items : [right];
  const [only] = items;
  if (items.every((item) => item.kind === "string")) return textTest(operator, items) ?? other;
  const ranges = items.map((item) => rangeOf(item));
  if (ranges.includes(undefined)) return other;
  const set = union(ranges.filter((range) => range !== undefined));
  if (operator === "in" || operator === "eq" || operator === "ne") {
    if (left.type === "ip") return { sort: "addresses", ranges: set };
    return { sort: "numbers", ranges: set, domain: domainOf(left) };
  }
  const rangeOfOrder = ORDERED[operator];
  if (only?.kind !== "int" || !rangeOfOrder) return other;
  return { sort: "numbers", ranges: union([rangeOfOrder(only.value)]), domain: domainOf(left) };
}

function textTest(operator: ComparisonOperator, items: readonly TextLiteral[]): Test | undefined {
  const globsOf = GLOBS[operator];
  const globs = items.map(({ value }) => (isComparable(value) ? globsOf?.(value) : undefined));
  return globs.includes(undefined) ? undefined : { sort: "texts", globs: globs.flatMap((each) => each ?? []) };
}

const equal = (text: string): readonly Glob[] => [glob([text])];

/** The texts that an operator finds. The order of texts has no globs. */
const GLOBS: Partial<Record<ComparisonOperator, (value: string) => readonly Glob[] | undefined>> = {
  eq: equal,
  ne: equal,
  in: equal,
  contains: (text) => [glob(["", text, ""])],
  wildcard: (pattern) => [wildcard(pattern, true)],
  "strict wildcard": (pattern) => [wildcard(pattern, false)],
  matches: globsOfPattern,
};

/** `*` is anything; `\*` and `\\` are the characters themselves. */
function wildcard(pattern: string, isAnyCase: boolean): Glob {
  const pieces: [string, ...string[]] = [""];
  for (const [token] of pattern.matchAll(/\\[\\*]|[^]/gu)) {
    if (token === "*") pieces.push("");
    else pieces[pieces.length - 1] += token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
  }
  return glob(pieces, isAnyCase);
}

function rangeOf(item: SetItem): Range | undefined {
  if (item.kind === "int") return [item.value, item.value];
  if (item.kind === "ip") return networkRange(item.value);
  if (item.kind === "network") return networkRange(item.address, item.bits);
  if (item.kind !== "range") return undefined;
  const [from, to] = [rangeOf(item.from), rangeOf(item.to)];
  return from && to && [from[0], to[1]];
}

/** `len` is never negative. */
function domainOf(value: Value): Ranges {
  const isLength = value.kind === "call" && value.name === "len";
  return isLength ? [[0n, MOST]] : ALL_NUMBERS;
}

/** The numbers that an operator of order finds. */
const ORDERED: Partial<Record<ComparisonOperator, (bound: bigint) => Range>> = {
  lt: (bound) => [LEAST, bound - 1n],
  le: (bound) => [LEAST, bound],
  gt: (bound) => [bound + 1n, MOST],
  ge: (bound) => [bound, MOST],
};

/** The same test of the text before its case was changed; undefined if it is none of texts. */
export function onBase(test: Test, change: "lower" | "upper"): Test | undefined {
  if (test.sort !== "texts") return undefined;
  const impossible = change === "lower" ? /[A-Z]/ : /[a-z]/;
  const possible = test.globs.filter(
    ({ pieces, isAnyCase }) => isAnyCase || !pieces.some((piece) => impossible.test(piece)),
  );
  return { sort: "texts", globs: possible.map(({ pieces }) => glob(pieces, true)) };
}
