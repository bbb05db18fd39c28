import { describe, expect, test } from "vitest";
import { StoreConflict } from "../../../lib/state/lock.ts";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";
import { failing, keptIn } from "./lines.ts";

/** The records beside the state. */
export function describeRecords(name: string, make: MakeStore): void {
  describe(`${name}: records beside the state`, () => {
    test("a zone without kept records has no names and no record", async () => {
      const { store } = await make();
      expect((await store.view(ZONE)).names).toEqual([]);
      expect((await store.view(ZONE)).kept("run-1")).toBeUndefined();
    });

    test("every process reads a kept record back, line for line", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const lines = ["first", "zweite Zeile: ä€😀", "", "last"];
      await store.keep(ZONE, lease, "run-2", given(lines));
      await store.keep(ZONE, lease, "run-1", given([]));
      expect((await other.view(ZONE)).names).toEqual(["run-1", "run-2"]);
      expect(await keptIn(other, "run-2")).toEqual(lines);
      expect(await keptIn(other, "run-1")).toEqual([]);
    });

    test("a record of the same name is replaced, and one whose stream fails leaves the old one", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.keep(ZONE, lease, "run-1", given(["old"]));
      await store.keep(ZONE, lease, "run-1", given(["new"]));
      await expect(store.keep(ZONE, lease, "run-1", failing())).rejects.toThrow("the source failed");
      expect((await store.view(ZONE)).names).toEqual(["run-1"]);
      expect(await keptIn(store, "run-1")).toEqual(["new"]);
    });

    test("discarding twice is discarding once, and touches nothing else", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.keep(ZONE, lease, "run-1", given(["one"]));
      await store.keep(ZONE, lease, "run-11", given(["eleven"]));
      await store.discard(ZONE, lease, "run-1");
      await store.discard(ZONE, lease, "run-1");
      expect((await store.view(ZONE)).names).toEqual(["run-11"]);
    });

    test("records outlive snapshots and journals, and are neither", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["journal"]);
      await store.keep(ZONE, lease, "run-1", given(["record"]));
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["journal"]);
      expect((await store.view(ZONE)).state).toBeUndefined();
      await store.write(ZONE, lease, undefined, given(["snapshot"]));
      expect(await keptIn(store, "run-1")).toEqual(["record"]);
    });

    test("an older fence may not keep or discard anything", async () => {
      const { store, other } = await make();
      const stale = await store.lock(ZONE, HOLDER, 0);
      await store.keep(ZONE, stale, "run-1", given(["mine"]));
      await other.unlock(ZONE, stale.id);
      await other.lock(ZONE, HOLDER, 0);
      await expect(store.keep(ZONE, stale, "run-1", given(["too late"]))).rejects.toThrow(StoreConflict);
      await expect(store.discard(ZONE, stale, "run-1")).rejects.toThrow(StoreConflict);
      expect(await keptIn(other, "run-1")).toEqual(["mine"]);
    });

    test.each(["", "../state", "Run", "a.b", "a/b"])("a record cannot be called %j", async (bad) => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(store.keep(ZONE, lease, bad, given(["x"]))).rejects.toThrow(RangeError);
      await expect(store.view(ZONE).then((view) => view.kept(bad))).rejects.toThrow(RangeError);
    });
  });
}
