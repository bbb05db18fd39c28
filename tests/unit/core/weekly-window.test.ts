import { describe, expect, test } from "vitest";
import { closingOf, openingOf, parseWeeklyWindow, type WeeklyWindow } from "../../../lib/core/weekly-window.ts";

function windowOf(text: string): WeeklyWindow {
  const window = parseWeeklyWindow(text);
  if (!window) throw new Error(`${text} is not a window`);
  return window;
}

/** Until when the window is open at a time, and when it opens where it is closed; both in UTC. */
function at(text: string, time: string): string {
  const [window, now] = [windowOf(text), Date.parse(time)];
  const closing = closingOf(window, now);
  if (closing === undefined) return `opens ${new Date(openingOf(window, now)).toISOString().slice(0, 16)}`;
  return closing === Infinity ? "always open" : `closes ${new Date(closing).toISOString().slice(0, 16)}`;
}

describe("a window", () => {
  test.each([
    // 2026-11-20 is a Friday.
    ["mon-fri 08:00-16:00", "2026-11-20T07:59:59Z", "opens 2026-11-20T08:00"],
    ["mon-fri 08:00-16:00", "2026-11-20T08:00:00Z", "closes 2026-11-20T16:00"],
    ["mon-fri 08:00-16:00", "2026-11-20T15:59:59Z", "closes 2026-11-20T16:00"],
    ["mon-fri 08:00-16:00", "2026-11-20T16:00:00Z", "opens 2026-11-23T08:00"],
    ["mon,wed,sat-sun 08:00-16:00", "2026-11-20T12:00:00Z", "opens 2026-11-21T08:00"],
    ["daily 00:00-24:00", "2026-11-20T12:00:00Z", "always open"],
    ["sat 00:00-24:00", "2026-11-21T23:59:00Z", "closes 2026-11-22T00:00"],
  ])("%s at %s %s", (text, time, expected) => {
    expect(at(text, time)).toBe(expected);
  });

  test.each([
    ["fri 22:00-04:00", "2026-11-20T21:00:00Z", "opens 2026-11-20T22:00"],
    ["fri 22:00-04:00", "2026-11-20T23:00:00Z", "closes 2026-11-21T04:00"],
    ["fri 22:00-04:00", "2026-11-21T03:00:00Z", "closes 2026-11-21T04:00"],
    ["fri 22:00-04:00", "2026-11-20T03:00:00Z", "opens 2026-11-20T22:00"],
  ])("that ends on the next day belongs to the day on which it begins: %s at %s %s", (text, time, expected) => {
    expect(at(text, time)).toBe(expected);
  });

  test.each([
    ["daily 08:00-16:00 Europe/Berlin", "2026-07-01T06:00:00Z", "closes 2026-07-01T14:00"],
    ["daily 08:00-16:00 Europe/Berlin", "2026-12-01T06:00:00Z", "opens 2026-12-01T07:00"],
    // The clocks go back on 2026-10-25: the window is an hour longer.
    ["sat 22:00-04:00 Europe/Berlin", "2026-10-24T20:00:00Z", "closes 2026-10-25T03:00"],
    ["mon 08:00-16:00 Asia/Kolkata", "2026-11-23T02:29:00Z", "opens 2026-11-23T02:30"],
  ])("follows the clocks of its time zone: %s at %s %s", (text, time, expected) => {
    expect(at(text, time)).toBe(expected);
  });

  test.each([
    "",
    "mon-fri",
    "08:00-16:00",
    "mon-fri 8:00-16:00",
    "mon-fri 08:00-25:00",
    "monday 08:00-16:00",
    "mon-wed-fri 08:00-16:00",
    "mon- 08:00-16:00",
    "daily 08:00-16:00 Europe/Atlantis",
    "daily 08:00-16:00 UTC now",
  ])("is not read from %j", (text) => {
    expect(parseWeeklyWindow(text)).toBeUndefined();
  });
});
