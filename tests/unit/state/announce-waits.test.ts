import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { lockAnnouncer } from "../../../cmd/announce.ts";
import { announcingWaits } from "../../../lib/state/announce-waits.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { oneStore } from "../../support/one-store.ts";
import { HOLDER, jumpingClock, ZONE } from "../../support/state-world.ts";

/** What is said while a lock is waited for whose holder is, or is not, there. */
async function said(isHeld: boolean, deadAfterMilliseconds?: number): Promise<string> {
  const clock = jumpingClock();
  const stderr = new PassThrough();
  const memory = memoryStore(clock);
  const holder = { ...HOLDER, id: "lock-1", who: "other@host" };
  const store = {
    ...memory,
    ...(deadAfterMilliseconds === undefined ? {} : { deadAfterMilliseconds }),
    holding: async () => (isHeld ? { unlockId: "lock-1", holder, isAlive: undefined } : undefined),
    lock: async (...given: Parameters<typeof memory.lock>) => {
      // The clock jumps: whoever waits for it is served before the lock is there.
      await new Promise((resolve) => void setImmediate(resolve));
      return memory.lock(...given);
    },
  };
  const stores = announcingWaits(oneStore(store), clock, lockAnnouncer({ stderr }, clock));
  const lease = await stores.of("edge").lock(ZONE, HOLDER, 5000);
  await lease.release();
  return String(stderr.read() ?? "");
}

test("a wait for a lock is announced once, with the longest time and the holder", async () => {
  expect(await said(true)).toMatch(
    /^waiting at most 0:05 for the lock of zone \w+: held by other@host .*, lock id lock-1\n$/,
  );
  expect(await said(true, 60_000)).toMatch(/^waiting at most 1:00 for the lock [^\n]*\n$/);
  expect(await said(false)).toBe("");
});
