import { expect, test } from "vitest";
import { decodeDeletionLimits } from "../../../lib/config/limits.ts";
import { allows, limitFor } from "../../../lib/plan/deletion-limits.ts";

const MOST = 300;

function allowed(percent: string, taken: number, all: number): boolean {
  const limit = decodeDeletionLimits({ custom_hostname: { percent, count: taken } }).get("custom_hostname");
  return limit !== undefined && allows(limit, taken, all);
}

test(`the limit that a refusal names allows the deletions, and one percent less does not, for up to ${MOST} objects`, () => {
  const wrong: string[] = [];
  for (let all = 1; all <= MOST; all += 1)
    for (let taken = 1; taken <= all; taken += 1) {
      const { percent, count } = limitFor(taken, all);
      const less = `${Number.parseInt(percent, 10) - 1}%`;
      const isTight = count === taken && allowed(percent, taken, all) && !allowed(less, taken, all);
      if (!isTight) wrong.push(`${taken} of ${all}: ${percent}`);
    }
  expect(wrong).toEqual([]);
});

test("7 of 100 are 7%, and 29 of 100 are 29%", () => {
  expect([7, 29].map((taken) => limitFor(taken, 100).percent)).toEqual(["7%", "29%"]);
});

test("a limit with decimals counts exactly: 1.13% of 10000 objects are 113", () => {
  expect([113, 114].map((taken) => allowed("1.13%", taken, 10_000))).toEqual([true, false]);
});
