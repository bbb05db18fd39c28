import { expect, test } from "vitest";
import { generalRemedy, problem, wordingFrom } from "../../../lib/core/diagnostic.ts";

const word = wordingFrom({
  "too-much": { cause: "too much", message: "{what} has {count}", remedy: "write { env: NAME }, or at most {most}" },
  "in-words-of-its-own": { cause: "depends on the place", remedy: "write {this} as it is" },
  "with-a-command": { cause: "gone", message: "{what} is gone", remedy: "make it again:", commands: ["make {what}"] },
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

test("a code without a message takes it from the raiser, and braces in its remedy stay", () => {
  const message = "here it is {this} and that";
  expect(word("in-words-of-its-own", { message })).toEqual({
    code: "in-words-of-its-own",
    message,
    remedy: "write {this} as it is",
  });
});

test("the commands of a code have values too; those for the occurrence replace them", () => {
  expect(word("with-a-command", { what: "it" })).toMatchObject({ message: "it is gone", commands: ["make it"] });
  expect(word("with-a-command", { what: "it" }, { commands: ["find it"] }).commands).toEqual(["find it"]);
});

test("a remedy for the occurrence replaces that of the table, an empty one does not", () => {
  expect(problem("empty-file", {}, { remedy: "delete it" }).remedy).toBe("delete it");
  expect(problem("empty-file", {}, { remedy: "" }).remedy).toBe("write at least version: 1, or delete the file");
});

test("a remedy for no occurrence has words in the place of values", () => {
  const remedy = "write { env: NAME }, or at most {most}";
  expect(generalRemedy({ message: "too much", remedy })).toBe("write { env: NAME }, or at most MOST");
  expect(generalRemedy({ remedy: "with {state} in it" })).toBe("with {state} in it");
  expect(generalRemedy({ message: "", remedy: "make it:", commands: ["make {what}"] })).toBe("make it: make WHAT");
});

test("a value that is missing does not compile, and neither does a code without its message", () => {
  // @ts-expect-error: `count` is missing
  word("too-much", { what: "it", most: 2 });
  // @ts-expect-error: the table has no message
  word("in-words-of-its-own", {});
  // @ts-expect-error: no table has this code
  problem("no-such-code", {});
});
