import type { Expression } from "./ast.ts";
import { type Formula, formulaOf } from "./meaning/formula.ts";
import { follows, solve } from "./meaning/solve.ts";

/**
 * What an edit does to the requests that an expression matches: it matches all of them now, none, the same, more, fewer,
 * or others (some are new, and some are gone). Each of these is proven, except that `more` and `fewer` may turn out to be
 * the same; `unknown`: nothing is proven (docs/rules-language.md#what-an-edit-means).
 */
export type Reach = "every" | "none" | "same" | "more" | "fewer" | "other" | "unknown";

/** Whether the second expression matches each request that the first one matches. `true` is proven. */
export function implies(first: Expression, second: Expression): boolean {
  return follows(first, second);
}

/** Whether no request matches both expressions. `true` is proven. */
export function excludes(first: Expression, second: Expression): boolean {
  return solve([formulaOf(first), formulaOf(second)]) === "none";
}

/** What an edit of an expression does to the requests that it matches. */
export function compareReach(before: Expression, after: Expression): Reach {
  const lost = solve([formulaOf(before), formulaOf(after, true)]);
  const gained = solve([formulaOf(after), formulaOf(before, true)]);
  if (lost === "none" && gained === "none") return "same";
  if (matchesAll(after)) return "every";
  if (solve([formulaOf(after)]) === "none") return "none";
  if (lost === "none") return "more";
  if (gained === "none") return "fewer";
  return lost === "some" && gained === "some" ? "other" : "unknown";
}

const EVERY_PATH: Formula = {
  sort: "fact",
  subject: { key: "http.request.uri.path", field: "http.request.uri.path", mayLack: false },
  test: { sort: "texts", globs: [{ pieces: ["/", ""], isAnyCase: false }] },
  isComplement: false,
  holdsWithout: false,
};

/**
 * Whether an expression matches every request. A path begins with a slash, so `starts_with(http.request.uri.path, "/")`
 * counts as all of them; nothing harmless is derived from that, because of requests such as `OPTIONS *`.
 */
export function matchesAll(expression: Expression): boolean {
  return solve([EVERY_PATH, formulaOf(expression, true)]) === "none";
}
