import { describe, expect, test } from "vitest";
import { beginState, loadState, saveState } from "../../../lib/state/load.ts";
import { Journal } from "../../../lib/state/open-journal.ts";
import {
  addressOf,
  collect,
  HOLDER,
  hostname,
  jumpingClock,
  STOPPED_CLOCK,
  plain,
  random,
  stateOf,
  ZONE,
} from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";

/** What a run needs of all that: its state, and how it goes on after another one. */
export function describeState(name: string, make: MakeStore): void {
  describe(`${name}: a state`, () => {
    test("the next run loads what a run saved", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const saved = await saveState(store, lease, undefined, stateOf(1000));
      const loaded = await loadState(other, ZONE);
      expect(loaded?.version).toBe(saved.version);
      expect(loaded && plain(loaded.state)).toEqual(plain(stateOf(1000, { serial: 4 })));
    });

    test("a killed run is continued: finished changes are known, unfinished ones are pending", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const begun = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
      const journal = new Journal(store, ZONE, lease, {
        clock: { ...STOPPED_CLOCK, now: jumpingClock().now },
        run: "run-1",
        state: begun.state,
      });
      await journal.intend({ address: addressOf(1), action: "create", object: hostname(1) });
      journal.done({ address: addressOf(1), action: "create", object: hostname(1) });
      await journal.intend({ address: addressOf(2), action: "create", object: hostname(2) });
      const loaded = await loadState(other, ZONE);
      expect(loaded?.state.lineage).toBe(begun.state.lineage);
      expect(loaded && Object.fromEntries(loaded.state.objects)).toEqual({
        [addressOf(1)]: hostname(1),
        [addressOf(2)]: { ...hostname(2), id: "", pending: "create", since: "2026-03-01T12:00:00.000Z" },
      });
      await other.unlock(ZONE, lease.id);
      const next = await beginState(other, await other.lock(ZONE, HOLDER, 0), { id: ZONE, name: "saas.eu" }, random);
      expect(next.state.objects).toEqual(loaded?.state.objects);
      expect(await collect((await other.view(ZONE)).journal())).toEqual([]);
    });

    test("the name of its place can be shown in messages", async () => {
      const { store } = await make();
      expect(store.describe(ZONE)).toContain(ZONE);
      expect(store.describe(ZONE, "journal")).not.toBe(store.describe(ZONE));
    });
  });
}
