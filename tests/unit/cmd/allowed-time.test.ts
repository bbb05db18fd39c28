import { expect, test } from "vitest";
import { deadlineOf } from "../../../cmd/allowed-time.ts";

const START = Date.parse("2026-12-01T03:00:30Z");
const HOUR = 3_600_000;

test("a run stops at the end of the window or after the longest time, and says which of them came first", () => {
  const window = "daily 22:00-04:02";
  const closing = Date.parse("2026-12-01T04:02:00Z");
  const closed = { deadlineMilliseconds: closing, deadlineReason: "the window ended at 04:02 UTC" };
  expect(deadlineOf({ window }, START)).toEqual(closed);
  expect(deadlineOf({ window, maxDuration: 5 * HOUR }, START)).toEqual(closed);
  expect(deadlineOf({ window, maxDuration: HOUR }, START)).toEqual({
    deadlineMilliseconds: START + HOUR,
    deadlineReason: "the --max-duration of 1 h is over",
  });
});

test("without either, or in a window that never ends, nothing stops it", () => {
  expect(deadlineOf({}, START)).toEqual({});
  expect(deadlineOf({ window: "" }, START)).toEqual({});
  expect(deadlineOf({ window: "daily 00:00-24:00" }, START)).toEqual({});
});
