import { describe, expect, test } from "vitest";
import { beginState, saveState } from "../../../lib/state/load.ts";
import { Journal } from "../../../lib/state/open-journal.ts";
import { KEPT_RUNS, listRuns, loadRun } from "../../../lib/state/runs.ts";
import type { State } from "../../../lib/state/state.ts";
import type { Lease } from "../../../lib/state/lock.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { addressOf, HOLDER, hostname, jumpingClock, random, stateOf, ZONE } from "../../support/state-world.ts";
import { changedStore } from "../../support/changed-store.ts";

const clock = jumpingClock();
const SAAS = { id: ZONE, name: "saas.eu" };

interface Rig {
  readonly store: ProjectStore;
  readonly lease: Lease;
  readonly state: State;
}

/** A store with a state of ten hostnames. */
async function rig(store: ProjectStore = memoryStore()): Promise<Rig> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  const { state } = await saveState(store, lease, undefined, stateOf(10));
  return { store, lease, state };
}

function journalOf({ store, lease, state }: Rig, run: string): Journal {
  return new Journal(store, ZONE, lease, { clock, run, state, operation: "apply", planHash: "sha256:ab" });
}

/** Ends a run like an apply: flushes everything, then folds it. */
async function end({ store, lease }: Rig, journal: Journal): Promise<State> {
  await journal.flush();
  const stored = (await store.view(ZONE)).state;
  return (await saveState(store, lease, stored?.version, journal.folded())).state;
}

const BEFORE = { id: "id-1", values: { ssl: { method: "http" }, custom_origin_server: "a.saas.eu" } };
const CHANGED = hostname(1, { ssl: { method: "txt", type: "dv" } });

describe("the record of a run", () => {
  test("has each object as it was before and as the run left it", async () => {
    const world = await rig();
    const journal = journalOf(world, "run-a");
    await journal.intend({ address: addressOf(1), action: "update", object: CHANGED, before: BEFORE });
    journal.done({ address: addressOf(1), action: "update", object: CHANGED });
    await journal.intend({ address: addressOf(20), action: "create", object: { ...hostname(20), id: "" } });
    journal.done({ address: addressOf(20), action: "create", object: hostname(20) });
    await journal.intend({ address: addressOf(2), action: "delete", before: { ...BEFORE, id: "id-2" } });
    journal.done({ address: addressOf(2), action: "delete" });
    await end(world, journal);
    const record = await loadRun(await world.store.view(ZONE), "run-a");
    expect(record?.header).toMatchObject({ run: "run-a", zone: ZONE, operation: "apply", planHash: "sha256:ab" });
    expect(record?.changes.map(({ at: _at, ...change }) => change)).toEqual([
      { address: addressOf(1), action: "update", before: BEFORE, prior: hostname(1), after: CHANGED },
      { address: addressOf(20), action: "create", after: hostname(20) },
      { address: addressOf(2), action: "delete", before: { ...BEFORE, id: "id-2" }, prior: hostname(2) },
    ]);
  });

  test("of a killed run is written by the next one, and says what is unfinished", async () => {
    const world = await rig();
    const journal = journalOf(world, "killed");
    await journal.intend({ address: addressOf(1), action: "update", object: CHANGED, before: BEFORE });
    await beginState(world.store, world.lease, SAAS, random);
    const record = await loadRun(await world.store.view(ZONE), "killed");
    expect(record?.changes).toMatchObject([
      { address: addressOf(1), action: "update", after: CHANGED, isUnfinished: true },
    ]);
  });

  test("omits what failed, and what changed only the state", async () => {
    const world = await rig();
    const journal = journalOf(world, "run-a");
    await journal.intend({ address: addressOf(1), action: "update", object: CHANGED, before: BEFORE });
    journal.failed({ address: addressOf(1), action: "update" });
    journal.done({ address: addressOf(30), action: "adopt", object: hostname(30) });
    journal.done({ address: addressOf(3), action: "forget" });
    await end(world, journal);
    expect(await listRuns(await world.store.view(ZONE))).toEqual([]);
  });

  test("counts a delete and a create of one address as a replacement of the first object", async () => {
    const world = await rig();
    const journal = journalOf(world, "run-a");
    const entry = { address: addressOf(1), action: "replace" as const };
    await journal.intend({ ...entry, before: BEFORE });
    journal.gone(entry);
    await journal.intend({ address: addressOf(1), action: "create" });
    journal.done({ address: addressOf(1), action: "create", object: { ...CHANGED, id: "id-new" } });
    await end(world, journal);
    const record = await loadRun(await world.store.view(ZONE), "run-a");
    expect(record?.changes).toMatchObject([{ action: "replace", before: BEFORE, after: { id: "id-new" } }]);
  });

  test("counts a replacement that stopped halfway as a delete", async () => {
    const world = await rig();
    const journal = journalOf(world, "run-a");
    const entry = { address: addressOf(1), action: "replace" as const };
    await journal.intend({ ...entry, before: BEFORE });
    journal.gone(entry);
    await journal.intend({ address: addressOf(1), action: "create" });
    journal.failed({ address: addressOf(1), action: "create" });
    await end(world, journal);
    const record = await loadRun(await world.store.view(ZONE), "run-a");
    expect(record?.changes).toMatchObject([{ action: "delete", before: BEFORE }]);
  });

  test("is refused if it was changed: half a record cannot undo a run", async () => {
    const world = await rig();
    const journal = journalOf(world, "run-a");
    await journal.intend({ address: addressOf(2), action: "delete", before: BEFORE });
    await end(world, journal);
    const lines: string[] = [];
    for await (const line of (await world.store.view(ZONE)).kept("run-run-a") ?? []) lines.push(line);
    for (const bad of [lines.slice(0, -1), [lines[0] ?? "", lines[2] ?? ""], [...lines, "{}"]]) {
      await world.store.keep(ZONE, world.lease, "run-run-a", stream(bad));
      await expect(loadRun(await world.store.view(ZONE), "run-a")).rejects.toThrow("the record of the run is damaged");
    }
  });
});

test(`the last ${KEPT_RUNS} runs are kept, newest first`, async () => {
  let world = await rig();
  for (let run = 1; run <= KEPT_RUNS + 3; run++) {
    await clock.sleep(1000);
    const journal = journalOf(world, `run-${run}`);
    await journal.intend({ address: addressOf(1), action: "update", object: CHANGED, before: BEFORE });
    journal.done({ address: addressOf(1), action: "update", object: CHANGED });
    world = { ...world, state: await end(world, journal) };
  }
  const runs = (await listRuns(await world.store.view(ZONE))).map(({ run }) => run);
  expect(runs).toHaveLength(KEPT_RUNS);
  expect(runs[0]).toBe(`run-${KEPT_RUNS + 3}`);
  expect(runs.at(-1)).toBe("run-4");
  expect(await loadRun(await world.store.view(ZONE), "run-3")).toBeUndefined();
});

test("the record of a run whose snapshot was never written is made by the next run", async () => {
  const real = memoryStore();
  let isFull = false;
  const write: ProjectStore["write"] = (...all) =>
    isFull ? Promise.reject(new Error("the disk is full")) : real.write(...all);
  const world = await rig(changedStore(real, { write }));
  const journal = journalOf(world, "run-a");
  await journal.intend({ address: addressOf(2), action: "delete", before: BEFORE });
  isFull = true;
  await expect(end(world, journal)).rejects.toThrow("the disk is full");
  expect(await loadRun(await real.view(ZONE), "run-a")).toBeUndefined();
  isFull = false;
  await beginState(real, world.lease, SAAS, random);
  expect((await loadRun(await real.view(ZONE), "run-a"))?.changes).toMatchObject([
    { address: addressOf(2), isUnfinished: true },
  ]);
});

async function* stream(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
}
