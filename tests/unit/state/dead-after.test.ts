import { expect, test } from "vitest";
import { toUnlock } from "../../../cmd/state-locks.ts";
import { examine } from "../../../lib/state/doctor.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { HOLDER, ZONE } from "../../support/state-world.ts";

test("a lock that is taken over by itself need not be freed, and the command names the zone as everywhere", async () => {
  const holder = { ...HOLDER, id: "lock-1" };
  const held = { ...memoryStore(), holding: async () => ({ unlockId: "lock-1", holder, isAlive: undefined }) };
  const remedies = [];
  for (const store of [held, { ...held, deadAfterMilliseconds: 60_000 }]) {
    const { findings } = await examine(store, ZONE, 0, [], "saas.dev");
    const found = findings.find(({ code }) => code === "lock-held");
    expect(found?.commands).toEqual(["zoneform state unlock lock-1 --zone saas.dev"]);
    remedies.push(found?.remedy, toUnlock(store));
  }
  expect(remedies).toEqual([
    "make sure that it is gone, then release the lock:",
    "to unlock",
    "nothing to do if it is gone: the next apply takes the lock by itself 60 s after the last renewal; only to free it sooner:",
    "to unlock sooner, once you are sure that it is gone",
  ]);
});
