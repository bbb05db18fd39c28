import { describe, expect, test } from "vitest";
import { Locked, StoreConflict } from "../../../lib/state/lock.ts";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";

/** The lock, between two. */
export function describeLock(name: string, make: MakeStore): void {
  describe(`${name}: lock`, () => {
    test("every process can ask who holds it, and gets the id that frees it", async () => {
      const { store, other } = await make();
      expect(await other.holding(ZONE)).toBeUndefined();
      const lease = await store.lock(ZONE, HOLDER, 0);
      expect(await other.holding(ZONE)).toMatchObject({ unlockId: lease.id, holder: { ...HOLDER, id: lease.id } });
      await lease.release();
      expect(await other.holding(ZONE)).toBeUndefined();
    });

    test("there is one holder at a time, and others learn who it is", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const refused = await other.lock(ZONE, HOLDER, 0).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Locked);
      expect(refused).toMatchObject({ holding: { holder: { ...HOLDER, id: lease.id } } });
    });

    test("a released lock is free, with a higher fence", async () => {
      const { store, other } = await make();
      const first = await store.lock(ZONE, HOLDER, 0);
      await first.release();
      await first.release();
      const second = await other.lock(ZONE, HOLDER, 0);
      expect(second.fence).toBeGreaterThan(first.fence);
    });

    test("a process that waits long enough gets it", async () => {
      const { store, other } = await make();
      const first = await store.lock(ZONE, HOLDER, 0);
      const second = other.lock(ZONE, HOLDER, 60_000);
      await first.release();
      expect((await second).fence).toBeGreaterThan(first.fence);
    });

    test("waiting can be interrupted", async () => {
      const { store, other } = await make();
      await store.lock(ZONE, HOLDER, 0);
      const signal = AbortSignal.abort(new Error("interrupted"));
      await expect(other.lock(ZONE, HOLDER, 60_000, signal)).rejects.toThrow();
    });

    test("an older fence may write nothing once a newer one was given out", async () => {
      const { store, other } = await make();
      const stale = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, stale, ["mine"]);
      await other.unlock(ZONE, stale.id);
      await other.lock(ZONE, HOLDER, 0);
      await expect(store.append(ZONE, stale, ["too late"])).rejects.toThrow(StoreConflict);
      await expect(store.write(ZONE, stale, undefined, given(["too late"]))).rejects.toThrow(StoreConflict);
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["mine"]);
      expect((await store.view(ZONE)).state).toBeUndefined();
    });

    test("unlocking needs the exact id", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(other.unlock(ZONE, lease.id.slice(0, -1))).rejects.toThrow();
      await expect(other.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
      await other.unlock(ZONE, lease.id);
      await expect(other.lock(ZONE, HOLDER, 0)).resolves.toBeDefined();
    });
  });
}
