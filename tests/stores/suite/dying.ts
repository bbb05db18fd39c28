import { describe, expect, test } from "vitest";
import { Locked } from "../../../lib/state/lock.ts";
import { collect, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";

/** Holders of the lock that do not release it. */
export function describeDying(name: string, make: MakeStore): void {
  describe(`${name}: a holder that dies or sleeps`, () => {
    test("a killed one frees the lock, and its appended lines stay", async (context) => {
      const { start, store } = await make();
      if (!start) {
        context.skip("no other process can see this store");
        return;
      }
      const holder = start();
      const { value } = await holder.ask("lock", { zone: ZONE, holder: { ...HOLDER }, waitMilliseconds: 0 });
      await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
      await holder.ask("append", { zone: ZONE, lines: ["mine"] });
      await holder.kill();
      const lease = await store.lock(ZONE, HOLDER, 600_000);
      expect(value).toMatchObject({ fence: lease.fence - 1 });
      await store.append(ZONE, lease, ["next"]);
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["mine", "next"]);
    });

    test("a sleeping one keeps the lock until a person frees it; when it wakes up it may write nothing", async (context) => {
      const { start, store, other } = await make();
      if (!start) {
        context.skip("no other process can see this store");
        return;
      }
      const holder = start();
      const { value } = await holder.ask("lock", { zone: ZONE, holder: { ...HOLDER }, waitMilliseconds: 0 });
      await holder.ask("append", { zone: ZONE, lines: ["mine"] });
      holder.stop();
      await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
      const holding = await other.holding(ZONE);
      expect(value).toMatchObject({ id: holding?.unlockId });
      await other.unlock(ZONE, holding?.unlockId ?? "");
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["next"]);
      holder.goOn();
      expect(await holder.ask("append", { zone: ZONE, lines: ["late"] })).toMatchObject({ error: "StoreConflict" });
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["mine", "next"]);
    });
  });
}
