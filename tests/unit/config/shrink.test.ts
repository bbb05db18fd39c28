import { describe, expect, test } from "vitest";
import type { SourceCount } from "../../../lib/config/desired.ts";
import { checkShrink, checkSource, isKnownWhole } from "../../../lib/config/shrink.ts";

const CURRENT: SourceCount = {
  zone: "saas.dev",
  source: "customers",
  rows: 95,
  order: "",
  maxShrink: 0.1,
  isConfirmed: false,
  isProven: false,
  said: "min_rows 0, max_shrink 0.1",
  at: { file: "zoneform.yaml", line: 5, column: 3 },
};

describe("a source that shrank by more than its limit", () => {
  test.each([
    [100, 90, 0.1, false],
    [100, 89, 0.1, true],
    [100, 100, 0, false],
    [100, 99, 0, true],
    [3, 2, 0.1, false],
    [3, 1, 0.1, true],
    [3, 2, 0, true],
    [3, 3, 0, false],
    [100, 120, 0.1, false],
    [38_000, 37_240, 0.02, false],
    [38_000, 37_239, 0.02, true],
  ])("from %i to %i rows at a limit of %f: %s", (previous, count, limit, expected) => {
    expect(checkShrink(previous, count, limit)).toBe(expected);
  });
});

describe("the guard before a plan", () => {
  test("says nothing the first time", () => {
    expect(checkSource(undefined, CURRENT)).toBeUndefined();
  });

  test("lets rows go within the limit", () => {
    expect(checkSource({ rows: 100, said: CURRENT.said }, CURRENT)).toBeUndefined();
  });

  test("refuses more than the limit, and names both counts", () => {
    const found = checkSource({ rows: 200, said: CURRENT.said }, CURRENT);
    expect(found?.code).toBe("source-shrank");
    expect(found?.message).toContain("95 rows");
    expect(found?.message).toContain("200 at the last apply");
    expect(found?.message).toContain("10%");
  });

  test("refuses it also where a manifest proves that the file is whole", () => {
    expect(checkSource({ rows: 200, said: CURRENT.said }, { ...CURRENT, isProven: true })?.code).toBe("source-shrank");
  });

  test("takes the word of min_rows that is exactly the number of rows", () => {
    const previous = { rows: 200, said: "min_rows 150, max_shrink 0.1" };
    const current = { ...CURRENT, isConfirmed: true, said: "min_rows 95, max_shrink 0.1" };
    expect(checkSource(previous, current)).toBeUndefined();
    expect(isKnownWhole(previous, current)).toBe(true);
  });

  test("does not take it for a word where a cut file only happens to have as many rows as min_rows always said", () => {
    const said = "min_rows 95, max_shrink 0.1";
    const current = { ...CURRENT, isConfirmed: true, said };
    const found = checkSource({ rows: 200, said }, current);
    expect(found?.code).toBe("source-shrank");
    expect(found?.remedy).toContain("change complete.max_shrink, because complete.min_rows was the same");
    expect(isKnownWhole({ rows: 200, said }, current)).toBe(false);
  });
});

test("a source is known to be whole by its manifest, and by nothing where nobody says so", () => {
  expect(isKnownWhole(undefined, { ...CURRENT, isProven: true })).toBe(true);
  expect(isKnownWhole({ rows: 95, said: CURRENT.said }, CURRENT)).toBe(false);
});
