import { expect, test } from "vitest";
import { generalRemedy, problem, wordingFrom } from "../../../lib/core/problem.ts";

const word = wordingFrom({
  "too-much": { cause: "too much", message: "{what} has {count}", remedy: "write { env: NAME }, or at most {most}" },
  "in-words-of-its-own": { cause: "depends on the place", remedy: "see there" },
} as const);
const VALUES = { what: "a {most} b", count: 3, most: 2 };

test("a code and its values make the message and the remedy; braces inside of a value stay", () => {
  expect(word("too-much", VALUES, { address: "x" })).toEqual({
    code: "too-much",
    message: "a {most} b has 3",
    remedy: "write { env: NAME }, or at most 2",
    address: "x",
  });
});

test("a remedy for the occurrence replaces that of the table, an empty one does not", () => {
  expect(problem("empty-file", {}, { remedy: "delete it" }).remedy).toBe("delete it");
  expect(problem("empty-file", {}, { remedy: "" }).remedy).toBe("write at least version: 1, or delete the file");
});

test("a remedy for no occurrence has words in the place of values", () => {
  const remedy = "write { env: NAME }, or at most {most}";
  expect(generalRemedy({ message: "too much", remedy })).toBe("write { env: NAME }, or at most MOST");
  expect(generalRemedy({ remedy: "with {state} in it" })).toBe("with {state} in it");
});

test("a value that is missing does not compile, and neither does a code whose message depends on the place", () => {
  // @ts-expect-error: `count` is missing
  word("too-much", { what: "it", most: 2 });
  // @ts-expect-error: the table has no message
  word("in-words-of-its-own", {});
  // @ts-expect-error: no table has this code
  problem("no-such-code", {});
});
