import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { outageAnnouncer } from "../../../cmd/announce.ts";
import { retryUntil } from "../../../lib/state/engines/waiting.ts";
import { jumpingClock, steadyAs } from "../../support/state-world.ts";

const MINUTE = 60_000;
const BACKOFF = { firstMilliseconds: 100, longestMilliseconds: 2000 };

/** What is said while a server gives this many calls no answer for so long. */
async function said(calls: number, downMilliseconds: number, patienceMilliseconds: number): Promise<string> {
  const clock = jumpingClock();
  const steady = steadyAs(clock);
  const stderr = new PassThrough();
  const away = outageAnnouncer({ stderr }, clock);
  const downUntil = clock.now() + downMilliseconds;
  const call = (): Promise<void> => {
    const deadline = steady.now() + patienceMilliseconds;
    const act = async (): Promise<void> => {
      if (clock.now() < downUntil) throw new Error("no answer");
    };
    return retryUntil({ clock: steady, deadline: () => deadline, isPassing: () => true, backoff: BACKOFF, away }, act);
  };
  await Promise.allSettled(Array.from({ length: calls }, call));
  return String(stderr.read() ?? "");
}

test("a server that does not answer is said once, with the time of the last attempt, however many wait", async () => {
  expect(await said(3, 5 * MINUTE, MINUTE)).toMatch(
    /^the server of the states does not answer; trying again until \d\d:\d\d:\d\d UTC\n$/,
  );
});

test("nothing is said of one that answers soon, or is given up soon", async () => {
  expect(await said(3, 500, MINUTE)).toBe("");
  expect(await said(3, 5 * MINUTE, 3000)).toBe("");
});
