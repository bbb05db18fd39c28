import { describe, expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import type { Engine } from "../../lib/state/engine.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { openJournal } from "../../lib/state/open-journal.ts";
import { KEPT_RUNS } from "../../lib/state/runs.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { zoneStores } from "../../lib/state/zone/stores.ts";
import { addressOf, collect, given, HOLDER, hostname, random, stateOf, ZONE } from "../support/state-world.ts";

const USER = { clock: realClock, random };

/** An engine whose calls are noted, and fail if `cut` says so. */
function watched(engine: Engine, calls: string[], cut: () => boolean = () => false): Engine {
  const note = (name: string): void => {
    calls.push(name);
    if (cut()) throw new Error("the process died");
  };
  const { sightings } = engine;
  return {
    ...engine,
    view: async (key) => (note("view"), engine.view(key)),
    body: (key, entry) => (note("body"), engine.body(key, entry)),
    journal: (key, view) => (note("journal"), engine.journal(key, view)),
    commit: async (key, lease, changes) => (note("commit"), engine.commit(key, lease, changes)),
    ...(sightings
      ? {
          sightings: { ...sightings, condense: async (key, keep) => (note("condense"), sightings.condense(key, keep)) },
        }
      : {}),
  };
}

function storeOn(engine: Engine): ProjectStore {
  return zoneStores(engine, USER).of("edge");
}

/** A zone with as many kept runs and earlier states as there ever are. */
async function withHistory(store: ProjectStore): Promise<void> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  let saved = await saveState(store, lease, undefined, stateOf(100));
  for (let run = 0; run < KEPT_RUNS + 2; run += 1) {
    const options = { clock: realClock, run: `run-${run}`, state: saved.state };
    const journal = await openJournal(store, ZONE, lease, options);
    await journal.intend({ address: addressOf(run), action: "update", object: hostname(run) });
    journal.done({ address: addressOf(run), action: "update", object: hostname(run) });
    await journal.flush();
    saved = await saveState(store, lease, saved.version, journal.folded());
  }
  await lease.release();
}

describe("a load", () => {
  test("asks for the view, the journal and the state, whatever else is kept", async () => {
    const shared = memory();
    await withHistory(storeOn(shared.open(USER)));
    const calls: string[] = [];
    const loaded = await loadState(storeOn(watched(shared.open(USER), calls)), ZONE);
    expect(loaded?.state.objects.size).toBe(100);
    expect(calls).toEqual(["view", "journal", "body"]);
  });

  test("that began before a write finds what was there then", async () => {
    const shared = memory();
    const store = storeOn(shared.open(USER));
    const lease = await store.lock(ZONE, HOLDER, 0);
    const version = await store.write(ZONE, lease, undefined, given(["old".repeat(1000)]));
    await store.append(ZONE, lease, ["intent"]);
    const before = await store.atOnce?.(ZONE);
    await store.write(ZONE, lease, version, given(["new"]));
    expect(before && (await collect((await before.read(ZONE))?.lines ?? given([])))).toEqual(["old".repeat(1000)]);
    expect(before && (await collect(before.journal(ZONE)))).toEqual(["intent"]);
  });
});

describe("removing what is kept of a zone", () => {
  test.each([0, 1])("that dies at its call %i is completed by doing it again", async (at) => {
    const shared = memory();
    const store = storeOn(shared.open(USER));
    await withHistory(store);
    await store.observe(ZONE, ["seen"]);
    const calls: string[] = [];
    const dying = storeOn(watched(shared.open(USER), calls, () => calls.length > at));
    const lease = await dying.lock(ZONE, HOLDER, 0);
    await expect(dying.retire(ZONE, lease)).rejects.toThrow("the process died");
    const left = await loadState(store, ZONE);
    expect(left?.state.objects.size).toBe(at === 0 ? 100 : undefined);
    await lease.release();

    const again = await store.lock(ZONE, HOLDER, 0);
    await store.retire(ZONE, again);
    await again.release();
    expect(await store.zones()).toEqual([]);
    expect((await store.files(ZONE)).map(({ role }) => role)).toEqual(["set-aside"]);
  });
});
