import { describe, expect, test } from "vitest";
import { leafLines, leafValues } from "../../../../lib/report/lines/leaf-lines.ts";
import { counted, thousands } from "../../../../lib/core/words.ts";
import { duration, named } from "../../../../lib/report/lines/words.ts";
import { formatValue } from "../../../../lib/core/value-words.ts";
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

describe("a long text that changes", () => {
  test("is shown as an old and a new line below its path, so that the two can be compared", () => {
    const leaf = aLeaf(
      "expression",
      'http.request.uri.path eq "/healthz" and ssl',
      'starts_with(http.request.uri.path, "/")',
    );
    expect(leafLines([leaf], "update", 4).map(({ indent, text }) => [indent, text])).toEqual([
      [4, expect.stringContaining("expression")],
      [6, '- http.request.uri.path eq "/healthz" and ssl'],
      [6, '+ starts_with(http.request.uri.path, "/")'],
    ]);
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
    expect([counted(1, "total tls"), counted(2, "zone settings")]).toEqual(["1 total tls", "2 zone settings"]);
  });

  test("three of four are named and the fourth is counted", () => {
    expect([named(["a", "b", "c"]), named(["a", "b", "c", "d"])]).toEqual(["a, b, c", "a, b, c and 1 more"]);
  });
});
