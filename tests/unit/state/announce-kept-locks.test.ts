import { expect, test } from "vitest";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import { announcingKeptLocks } from "../../../lib/state/stores.ts";
import { StateError } from "../../../lib/state/error.ts";
import { StoreConflict } from "../../../lib/state/lock.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { oneStore } from "../../support/one-store.ts";
import { HOLDER, jumpingClock, ZONE } from "../../support/state-world.ts";

/** What is said of a lock that is given back, if the store says `failure` to that. */
async function said(failure?: Error): Promise<readonly Diagnostic[]> {
  const stuck = oneStore(memoryStore(jumpingClock())).over((engine) => ({
    ...engine,
    lock: async (...given) => {
      const { lease, view } = await engine.lock(...given);
      const release = async (): Promise<void> => {
        if (failure) throw failure;
        await lease.release();
      };
      return { lease: { ...lease, id: "lock-1", release }, view };
    },
  }));
  const found: Diagnostic[] = [];
  const stores = announcingKeptLocks(stuck, (diagnostic) => found.push(diagnostic));
  await (await stores.of("edge").lock(ZONE, HOLDER, 0)).release();
  return found;
}

test("a lock that cannot be given back is a warning with the reason and the command that unlocks the state", async () => {
  const denied = new StateError({ code: "state-denied", message: "the disk is read-only", remedy: "make room" });
  expect(await said(denied)).toEqual([
    {
      severity: "warning",
      code: "lock-not-freed",
      message: `the state of zone ${ZONE} may still be locked: the disk is read-only`,
      remedy: "once that is put right, unlock it:",
      commands: [`zoneform state unlock lock-1 --zone ${ZONE}`],
    },
  ]);
  expect(await said()).toEqual([]);
});

test("a lock that somebody else has by now needs no word", async () => {
  expect(await said(new StoreConflict("somebody freed it"))).toEqual([]);
});
