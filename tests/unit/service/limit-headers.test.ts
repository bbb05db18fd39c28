import { describe, expect, it } from "vitest";
import { readRemaining, readRetryAfter } from "../../../lib/service/pause.ts";

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);

function retryAfter(text: string): number | undefined {
  return readRetryAfter({ status: 429, headers: { "retry-after": text }, body: "" }, NOW);
}

function remaining(ratelimit: string, policy = ""): ReturnType<typeof readRemaining> {
  return readRemaining({ status: 200, headers: { ratelimit, "ratelimit-policy": policy }, body: "" });
}

describe("Retry-After", () => {
  it.each([
    ["30", 30_000],
    ["0.5", 500],
    ["1000000000", 1e12],
    ["Sat, 31 Jan 2026 12:01:00 GMT", 60_000],
  ])("%s is read", (text, expected) => {
    expect(retryAfter(text)).toBe(expected);
  });

  it.each([
    "-1",
    "0",
    "",
    "soon",
    "1e9",
    "NaN",
    "Infinity",
    "Sat, 31 Jan 2026 11:59:00 GMT",
    "2026-01-31",
    "0x10",
    "30, 60",
  ])("%s is ignored", (text) => {
    expect(retryAfter(text)).toBeUndefined();
  });
});

describe("Ratelimit", () => {
  it("is read as the service documents it", () => {
    expect(remaining('"default";r=50;t=30', '"burst";q=100;w=60')).toEqual({
      remaining: 50,
      resetMilliseconds: 30_000,
      quota: 100,
      windowMilliseconds: 60_000,
    });
  });

  it("may come without a policy", () => {
    expect(remaining('"default";r=0;t=7')).toEqual({ remaining: 0, resetMilliseconds: 7000 });
  });

  it("uses the limit with the least left", () => {
    expect(remaining('"a";r=50;t=30, "b";r=3;t=9')).toMatchObject({ remaining: 3, resetMilliseconds: 9000 });
  });

  it("uses the policy of its own name", () => {
    const policies = '"a";q=7;w=1, "b";q=100;w=60';
    expect(remaining('"b";r=3;t=9', policies)).toMatchObject({ quota: 100, windowMilliseconds: 60_000 });
  });

  it.each(["0", "86401", "x"])("knows no window of %s seconds", (seconds) => {
    expect(remaining('"a";r=3;t=9', `"a";q=7;w=${seconds}`)).toEqual({
      remaining: 3,
      resetMilliseconds: 9000,
      quota: 7,
    });
  });

  it.each(["", "50", '"default";r=x;t=30', '"default";r=-5;t=30', '"default";r=5'])("%s is ignored", (text) => {
    expect(remaining(text)).toBeUndefined();
  });
});
