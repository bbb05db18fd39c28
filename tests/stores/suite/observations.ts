import { describe, expect, test, type TestContext } from "vitest";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { StateError } from "../../../lib/state/error.ts";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore, StoreUnderTest } from "./under-test.ts";

/** What runs saw of hostnames. */
export function describeObservations(name: string, make: MakeStore): void {
  describe(`${name}: the record of hostnames`, () => {
    const sorted = async (store: ProjectStore): Promise<readonly string[]> =>
      [...new Set(await collect(store.observations(ZONE)))].sort();

    test("refuses lines if nothing can be recorded, and then stays empty", async (context) => {
      const { store } = await make();
      if (!store.keepsNoSightings) context.skip("this store records");
      await store.observe(ZONE, []);
      await expect(store.observe(ZONE, ["seen"])).rejects.toThrow(StateError);
      await store.condense(ZONE, (lines) => lines);
      expect(await sorted(store)).toEqual([]);
    });

    /** Skips a test of what a store that records nothing cannot do. */
    const recording = async (context: TestContext): Promise<StoreUnderTest> => {
      const made = await make();
      if (made.store.keepsNoSightings) context.skip("this store records nothing");
      return made;
    };

    test("is empty at first, and then has what every process added, without a lock", async (context) => {
      const { store, other } = await recording(context);
      expect(await collect(store.observations(ZONE))).toEqual([]);
      await store.lock(ZONE, HOLDER, 0);
      await other.observe(ZONE, ["one", "zwei ä€😀"]);
      await store.observe(ZONE, []);
      await store.observe(ZONE, ["three"]);
      expect(await sorted(other)).toEqual(["one", "three", "zwei ä€😀"]);
    });

    test("is no part of the snapshot, the journal or the records", async (context) => {
      const { store } = await recording(context);
      await store.observe(ZONE, ["seen"]);
      expect((await store.view(ZONE)).state).toBeUndefined();
      expect(await collect((await store.view(ZONE)).journal())).toEqual([]);
      expect((await store.view(ZONE)).names).toEqual([]);
    });

    test("outlives a new snapshot", async (context) => {
      const { store } = await recording(context);
      await store.observe(ZONE, ["seen"]);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given(["snapshot"]));
      expect(await sorted(store)).toEqual(["seen"]);
    });

    test("is condensed to the lines to keep; lines that others add meanwhile stay", async (context) => {
      const { store, other } = await recording(context);
      await store.observe(ZONE, ["a", "b", "c"]);
      await store.condense(ZONE, async function* (lines) {
        for await (const line of lines) {
          // Somebody who started before, and somebody who starts now.
          await other.observe(ZONE, [`beside ${line}`]);
          if (line !== "b") yield line;
        }
      });
      expect(await sorted(store)).toEqual(["a", "beside a", "beside b", "beside c", "c"]);
      await other.condense(ZONE, async function* () {
        yield "only this";
      });
      expect(await sorted(store)).toEqual(["only this"]);
    });

    test("loses nothing if several add and condense at once", async (context) => {
      const { store, other } = await recording(context);
      const everything = async function* (lines: AsyncIterable<string>): AsyncIterable<string> {
        yield* lines;
      };
      const added: string[] = [];
      const rounds = [store, other, store, other].map(async (each, who) => {
        for (let round = 0; round < 12; round += 1) {
          const lines = [`${who} ${round} first`, `${who} ${round} second`];
          await each.observe(ZONE, lines);
          added.push(...lines);
          if (round % 3 === who % 3) await each.condense(ZONE, everything);
        }
      });
      await Promise.all(rounds);
      expect(await sorted(store)).toEqual([...added].sort());
    });
  });
}
