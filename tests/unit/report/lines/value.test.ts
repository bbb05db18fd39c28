import { describe, expect, test } from "vitest";
import { leafValues } from "../../../../lib/report/lines/leaf-lines.ts";
import { formatValue } from "../../../../lib/report/lines/value.ts";
import { wordDiff } from "../../../../lib/report/lines/word-diff.ts";
import { counted, duration, named, thousands } from "../../../../lib/report/lines/words.ts";
import { aLeaf } from "../../../support/plans.ts";

describe("a value", () => {
  test.each([
    ["lets_encrypt", "lets_encrypt"],
    ["1.2", "1.2"],
    [1.2, "1.2"],
    ["", '""'],
    ["true", '"true"'],
    [true, "true"],
    [null, "null"],
    [undefined, "(unset)"],
    ["Skip uploads", '"Skip uploads"'],
    ['path eq "/x"', `'path eq "/x"'`],
    [["a", "b"], '["a","b"]'],
  ])("%j reads %s", (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  test("is told from one of another type that looks the same", () => {
    expect(leafValues(aLeaf("a", "1", 1), "update")).toBe('"1" -> 1');
  });
});

describe("the difference of expressions", () => {
  test("shows the words that changed, an address as one word", () => {
    expect(wordDiff("(ip.src in {192.0.2.1 192.0.2.2})", "(ip.src in {192.0.2.1 198.51.100.7 192.0.2.2})")).toBe(
      "(ip.src in {192.0.2.1 {+198.51.100.7 +}192.0.2.2})",
    );
  });

  test("is left to before and after where the texts have no word in common", () => {
    expect(wordDiff("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")).toBeUndefined();
  });

  test("gives up in time on long texts that differ everywhere", () => {
    const long = (word: string): string => Array.from({ length: 3000 }, (_item, index) => `${word}${index}`).join(" ");
    expect(wordDiff(long("a"), long("b"))).toBeUndefined();
  });
});

describe("counts and times", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1234567, "1,234,567"],
  ])("%d is %s", (count, text) => expect(thousands(count)).toBe(text));

  test.each([
    [0, "0 s"],
    [0.2, "1 s"],
    [80, "1 min 20 s"],
    [3600, "1 h"],
    [3661, "1 h 1 min 1 s"],
  ])("%d seconds are %s", (seconds, text) => expect(duration(seconds)).toBe(text));

  test("one is singular", () => {
    expect([counted(1, "call"), counted(2, "call")]).toEqual(["1 call", "2 calls"]);
  });

  test("three of four are named and the fourth is counted", () => {
    expect([named(["a", "b", "c"]), named(["a", "b", "c", "d"])]).toEqual(["a, b, c", "a, b, c and 1 more"]);
  });
});
