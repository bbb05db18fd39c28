import { describe, expect, test } from "vitest";
import type { SourceCount } from "../../../lib/config/desired.ts";
import { checkShrink, isShrunk } from "../../../lib/plan/sources.ts";
import type { SourceSeen } from "../../../lib/state/state.ts";

const CURRENT: SourceCount = {
  zone: "saas.dev",
  source: "customers",
  rows: 95,
  first: "a.net",
  end: [],
  has: () => true,
  maxShrink: 0.1,
  at: { file: "zoneform.yaml", line: 5, column: 3 },
};

/** What the state remembers of a source with as many rows. */
function before(rows: number, missing?: SourceSeen["missing"]): SourceSeen {
  return { rows, first: "a.net", end: [], ...(missing ? { missing } : {}) };
}

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
    expect(isShrunk(previous, count, limit)).toBe(expected);
  });
});

describe("the guard before a plan", () => {
  test("says nothing the first time", () => {
    expect(checkShrink(undefined, CURRENT)).toBeUndefined();
  });

  test("lets rows go within the limit", () => {
    expect(checkShrink(before(100), CURRENT)).toBeUndefined();
  });

  test("refuses more than the limit, names both counts, and the flag that says that the file is complete", () => {
    const found = checkShrink(before(200), CURRENT);
    expect(found?.code).toBe("source-shrank");
    expect(found?.message).toContain("95 rows");
    expect(found?.message).toContain("200 at the last apply");
    expect(found?.message).toContain("10%");
    expect(found?.remedy).toContain("--complete-source customers");
  });

  test("counts the rows that wait for an approval", () => {
    const rows = ["x.net", "y.net", "z.net"];
    expect(checkShrink(before(103), CURRENT)).toBeUndefined();
    expect(checkShrink(before(103, { rows }), CURRENT)?.code).toBe("source-shrank");
  });
});
