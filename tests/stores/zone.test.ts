import { describe, expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import type { Engine } from "../../lib/state/engine.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { Journal } from "../../lib/state/open-journal.ts";
import { KEPT_RUNS, listRuns, loadRun } from "../../lib/state/runs.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { zoneStores } from "../../lib/state/stores.ts";
import { addressOf, collect, given, HOLDER, hostname, random, stateOf, ZONE } from "../support/state-world.ts";
import { past } from "../support/zone-history.ts";

const USER = { clock: realClock, random };

const SAAS = { id: ZONE, name: "saas.eu" };

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
    body: async function* (key, entry) {
      note("body");
      yield* engine.body(key, entry);
    },
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
  const runs = Array.from({ length: KEPT_RUNS + 2 }, (_, run) => ({ run: `run-${run}`, did: { update: [run] } }));
  await past(store, [{ saved: stateOf(100) }, ...runs]);
}

describe("a load", () => {
  test("reads the view and the state, and the journal if it has lines, whatever else is kept", async () => {
    const shared = memory();
    const store = storeOn(shared.open(USER));
    await withHistory(store);
    const calls: string[] = [];
    const reader = storeOn(watched(shared.open(USER), calls));
    expect((await loadState(reader, ZONE))?.state.objects.size).toBe(100);
    expect(calls.splice(0)).toEqual(["view", "body"]);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const { state } = await beginState(store, lease, SAAS, random);
    const journal = new Journal(store, ZONE, lease, { clock: realClock, run: "run-a", state });
    await journal.intend({ address: addressOf(200), action: "create", object: hostname(200) });
    expect((await loadState(reader, ZONE))?.intents).toHaveLength(1);
    expect(calls).toEqual(["view", "journal", "body"]);
  });

  test("reads nothing under the lock if nothing has changed since the last load", async () => {
    const shared = memory();
    await withHistory(storeOn(shared.open(USER)));
    const calls: string[] = [];
    const store = storeOn(watched(shared.open(USER), calls));
    const known = await loadState(store, ZONE);
    calls.splice(0);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const found = await loadState(store, ZONE, { lease, known });
    expect(found?.state).toBe(known?.state);
    expect(calls).toEqual([]);
    await saveState(store, lease, found?.version, { ...stateOf(1), serial: found?.state.serial ?? 0 });
    const again = await loadState(store, ZONE, { lease, known });
    expect(again?.state.objects.size).toBe(1);
    expect(calls).toEqual(["commit", "body"]);
  });

  test("the end of a run is one change, with the record of the run and of the last write", async () => {
    const shared = memory();
    await withHistory(storeOn(shared.open(USER)));
    const calls: string[] = [];
    const store = storeOn(watched(shared.open(USER), calls));
    const lease = await store.lock(ZONE, HOLDER, 0);
    const { state, version } = await beginState(store, lease, SAAS, random);
    const journal = new Journal(store, ZONE, lease, { clock: realClock, run: "run-a", state });
    await journal.intend({ address: addressOf(0), action: "delete" });
    journal.done({ address: addressOf(0), action: "delete" });
    await journal.flush();
    calls.splice(0);
    const { runs } = await saveState(store, lease, version, journal.folded(), { journal: journal.lines() });
    expect(calls).toEqual(["commit"]);
    expect(runs).toEqual(["run-a"]);
    expect((await listRuns(await store.view(ZONE))).map(({ run }) => run)).toHaveLength(KEPT_RUNS);
    expect(await loadRun(await store.view(ZONE), "run-a")).toMatchObject({ changes: [{ address: addressOf(0) }] });
  });

  test("that began before a write gets what was there then", async () => {
    const shared = memory();
    const store = storeOn(shared.open(USER));
    const lease = await store.lock(ZONE, HOLDER, 0);
    const version = await store.write(ZONE, lease, undefined, given(["old".repeat(1000)]));
    await store.append(ZONE, lease, ["intent"]);
    const before = await store.view(ZONE);
    await store.write(ZONE, lease, version, given(["new"]));
    expect(await collect(before.state?.lines ?? given([]))).toEqual(["old".repeat(1000)]);
    expect(await collect(before.journal())).toEqual(["intent"]);
  });
});

describe("removing everything that is kept for a zone", () => {
  test.each([0, 1])("that dies at its call %i is completed by running it again", async (at) => {
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
