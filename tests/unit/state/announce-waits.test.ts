import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { lockAnnouncer } from "../../../cmd/announce.ts";
import { announcingWaits } from "../../../lib/state/stores.ts";
import type { Holding } from "../../../lib/state/lock.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { oneStore } from "../../support/one-store.ts";
import { HOLDER, jumpingClock, ZONE } from "../../support/state-world.ts";

/** What is said while a lock is waited for whose holder is, or is not, there. */
async function said(isHeld: boolean, more: Partial<Holding> = {}, waitMilliseconds = 5000): Promise<string> {
  const clock = jumpingClock();
  const stderr = new PassThrough();
  const holder = { ...HOLDER, id: "lock-1", who: "other@host" };
  const busy = oneStore(memoryStore(clock)).over((engine) => ({
    ...engine,
    holding: async () => (isHeld ? { unlockId: "lock-1", holder, isAlive: undefined, ...more } : undefined),
    lock: async (...given) => {
      // The clock jumps: whoever waits for it is served before the lock is there.
      await new Promise((resolve) => void setImmediate(resolve));
      return engine.lock(...given);
    },
  }));
  const stores = announcingWaits(busy, clock, lockAnnouncer({ stderr }, clock));
  const lease = await stores.of("edge").lock(ZONE, HOLDER, waitMilliseconds);
  await lease.release();
  return String(stderr.read() ?? "");
}

test("a wait for a lock is announced once, with the longest time and the holder", async () => {
  expect(await said(true)).toMatch(
    /^waiting at most 0:05 for the lock of zone \w+: held by other@host .*, lock id lock-1\n$/,
  );
  expect(await said(false)).toBe("");
  expect(await said(true, { isAlive: false })).toBe("");
});

test("the announced time is true where a dead run is found out by watching its lock", async () => {
  const renewal = { ageMilliseconds: 30_000, deadAfterMilliseconds: 60_000 };
  expect(await said(true, { renewal })).toMatch(
    /^waiting at most 0:05 for the lock of zone \w+, or 1:00 if the run that holds it stops renewing it: held by /,
  );
  expect(await said(true, { renewal }, 0)).toMatch(
    /^waiting at most 1:00 for the lock of zone \w+, to see whether the run that holds it is dead: held by /,
  );
  expect(await said(true, { renewal, isAlive: false }, 75_000)).toMatch(
    /^waiting at most 1:15 for the lock of zone \w+: held by .*, counts as dead, last renewed 30 s ago\)/,
  );
});
