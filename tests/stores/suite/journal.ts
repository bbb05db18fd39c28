import { describe, expect, test } from "vitest";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";

/** What a run has done since the last snapshot. */
export function describeJournal(name: string, make: MakeStore): void {
  describe(`${name}: journal`, () => {
    test("every process reads appended lines in order", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["a", "b"]);
      await store.append(ZONE, lease, ["c"]);
      expect(await collect((await other.view(ZONE)).journal())).toEqual(["a", "b", "c"]);
    });

    test("a write of the snapshot empties the journal, and the next append starts a new one", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["old"]);
      await store.write(ZONE, lease, undefined, given(["snapshot"]));
      expect(await collect((await store.view(ZONE)).journal())).toEqual([]);
      await store.append(ZONE, lease, ["new"]);
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["new"]);
    });

    test("a line that a crash cut off is omitted, and the next append does not continue it", async (context) => {
      const { store, other, tearJournal } = await make();
      if (!tearJournal) {
        context.skip("this store cannot be left with a part of a line");
        return;
      }
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["whole"]);
      await tearJournal();
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["whole"]);
      await other.append(ZONE, lease, ["after"]);
      expect(await collect((await store.view(ZONE)).journal())).toEqual(["whole", "after"]);
    });
  });
}
