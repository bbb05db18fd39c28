import { describe, expect, test } from "vitest";
import { evaluate, holds, interpolate, type Lookup, type Standing } from "../support/ci/github/expressions.ts";

const GOOD: Standing = { hasFailed: false, isCancelled: false };
const FAILED: Standing = { hasFailed: true, isCancelled: false };

const VALUES: Readonly<Record<string, string | null>> = {
  "steps.a.outputs.code": "3",
  "vars.EMPTY": null,
  "github.ref": "refs/heads/main",
};

const lookup: Lookup = (path) => {
  const value = VALUES[path.join(".")];
  if (value === undefined) throw new Error(`${path.join(".")} is unknown`);
  return value;
};

describe("the expressions of workflows, as the stand-in for GitHub reads them", () => {
  test.each([
    ["github.ref == 'refs/heads/main'", true],
    ["github.ref != 'refs/heads/main'", false],
    ["vars.EMPTY == ''", true],
    ["steps.a.outputs.code == '3' && 'yes' || 'no'", "yes"],
    ["steps.a.outputs.code == '4' && 'yes' || 'no'", "no"],
    ["vars.EMPTY || 'it''s'", "it's"],
    ["!(github.ref == 'x') && !cancelled()", true],
  ])("%s is %j", (source, expected) => {
    expect(evaluate(source, lookup, GOOD)).toBe(expected);
  });

  test.each([
    "contains(github.ref, 'main')",
    "github.event.nothing",
    "github.ref ==",
    "github.ref 'x'",
    "1 < 2",
    "toJSON()",
    "(github.ref",
  ])("%s is refused, because nobody has said what it means", (source) => {
    expect(() => evaluate(source, lookup, GOOD)).toThrow();
  });

  test("a condition that asks for no standing does not hold after a failure", () => {
    expect(holds(undefined, lookup, FAILED)).toBe(false);
    expect(holds("github.ref == 'refs/heads/main'", lookup, FAILED)).toBe(false);
    expect(holds("${{ failure() && steps.a.outputs.code == '3' }}", lookup, FAILED)).toBe(true);
    expect(holds("${{ !cancelled() }}", lookup, { hasFailed: true, isCancelled: true })).toBe(false);
  });

  test("a text gets the values of its expressions, and nothing for null", () => {
    expect(interpolate("a-${{ github.ref }}-${{ vars.EMPTY }}-b", lookup, GOOD)).toBe("a-refs/heads/main--b");
  });
});
