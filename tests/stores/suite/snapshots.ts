import { describe, expect, test } from "vitest";
import { StoreConflict } from "../../../lib/state/lock.ts";
import { loadState } from "../../../lib/state/load.ts";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";
import { failing } from "./lines.ts";

/** The state of a zone as it was last saved. */
export function describeSnapshots(name: string, make: MakeStore): void {
  describe(`${name}: snapshots`, () => {
    test("a zone that was never written has no snapshot and no journal", async () => {
      const { store } = await make();
      expect((await store.view(ZONE)).state).toBeUndefined();
      expect(await collect((await store.view(ZONE)).journal())).toEqual([]);
    });

    test("written lines are read back, line for line, under the version that the write returned", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const lines = ["first", "zweite Zeile: ä€😀", "", "last"];
      const version = await store.write(ZONE, lease, undefined, given(lines));
      const stored = (await other.view(ZONE)).state;
      expect(stored?.version).toBe(version);
      expect(stored && (await collect(stored.lines))).toEqual(lines);
    });

    test("a write over a snapshot that was not read is refused and changes nothing", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const first = await store.write(ZONE, lease, undefined, given(["one"]));
      const second = await store.write(ZONE, lease, first, given(["two"]));
      await expect(store.write(ZONE, lease, first, given(["three"]))).rejects.toThrow(StoreConflict);
      await expect(store.write(ZONE, lease, undefined, given(["three"]))).rejects.toThrow(StoreConflict);
      expect((await store.view(ZONE)).state?.version).toBe(second);
    });

    test("a write over a missing snapshot is refused", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(store.write(ZONE, lease, "0".repeat(64), given(["one"]))).rejects.toThrow(StoreConflict);
      expect((await store.view(ZONE)).state).toBeUndefined();
    });

    test("a snapshot of no lines is a snapshot, and no state", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given([]));
      await expect(loadState(store, ZONE)).rejects.toThrow("the state is damaged: it is empty");
    });

    test("there is no backup of a snapshot that was never replaced", async () => {
      const { store } = await make();
      expect((await store.view(ZONE)).backups).toEqual([]);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given(["one"]));
      expect((await store.view(ZONE)).backups).toEqual([]);
      await expect(store.view(ZONE).then((view) => view.backup(7))).rejects.toMatchObject({
        diagnostic: { code: "backup-missing", message: expect.stringContaining("no earlier copy of serial 7") },
      });
    });

    test("a snapshot that is replaced is kept under its serial, however long its first line is", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const lines = [`{"serial":7,"sources":"${"x".repeat(5000)}"}`, "footer"];
      const version = await store.write(ZONE, lease, undefined, given(lines));
      await store.write(ZONE, lease, version, given(['{"serial":8}']));
      expect((await store.view(ZONE)).backups).toEqual([7]);
      expect(await collect((await store.view(ZONE)).backup(7))).toEqual(lines);
    });

    test("a stream of lines that fails leaves the old snapshot", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const version = await store.write(ZONE, lease, undefined, given(["one"]));
      await expect(store.write(ZONE, lease, version, failing())).rejects.toThrow("the source failed");
      expect((await store.view(ZONE)).state?.version).toBe(version);
    });
  });
}
