import { expect, test } from "vitest";
import { openWindow } from "../../../lib/service/gate.ts";

const MINUTE = 60_000;
const YEARS = 10 * 365 * 86_400_000;

test("a clock that was set back while a call ran holds up nobody for longer than the window", () => {
  const window = openWindow(2, MINUTE);
  window.begin(2);
  window.settle(YEARS);
  window.settle(1000);
  expect(window.waitFrom(1000, 1)).toBeLessThanOrEqual(MINUTE + 1);
});
