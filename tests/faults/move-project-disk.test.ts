import { cp, readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { disk } from "../../lib/real/disk.ts";
import { StateError } from "../../lib/state/error.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { moveZone, movingZones, type Renamed } from "../../lib/state/upkeep/move-project.ts";
import { encodeObservation, readObservations } from "../../lib/state/observations.ts";
import { listRuns } from "../../lib/state/runs.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { Crash, faultyDisk } from "../support/faulty-disk.ts";
import { inFull } from "../support/full.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random, stateOf, ZONE } from "../support/state-world.ts";
import { copiesOf } from "../support/store-content.ts";
import { past } from "../support/zone-history.ts";

const FIRST_RUN = 1000;
const NEXT_RUN = 2000;
const DEAD = new Set([FIRST_RUN]);

/** Far more than a move needs; a test that reaches it would never end. */
const MOST_CALLS = 300;

function open(root: string, fs: FileSystem = disk("refuse"), pid = NEXT_RUN): Renamed {
  const stores = localStores(fs, root, { identity: processOf(pid, DEAD), ...clocksOf(jumpingClock()), random });
  return { from: stores.of("old"), to: stores.of("new") };
}

/** The state of a project with a run that can be undone, a stopped run's journal, and the observations of a hostname. */
async function prepare(): Promise<string> {
  const root = `${await temporaryFolder()}/.zoneform`;
  const { from } = open(root, disk("refuse"), FIRST_RUN);
  await past(from, [
    { saved: stateOf(3) },
    { run: "run-0", did: { delete: [0] } },
    { run: "run-1", left: { create: [5] } },
  ]);
  await from.observe(ZONE, [
    encodeObservation({ id: "id-1", hostname: "a.net", status: "moved", at: "2026-11-01T00:00:00Z" }),
  ]);
  return root;
}

async function move(renamed: Renamed): Promise<void> {
  for (const { id } of await movingZones(renamed)) {
    const from = await renamed.from.lock(id, HOLDER, 0);
    const to = await renamed.to.lock(id, HOLDER, 0);
    await moveZone(renamed, id, { from, to });
    await to.release();
    await from.release();
  }
}

/** The objects that are known under a name, and which of them is unfinished. */
async function objectsOf(store: ProjectStore): Promise<object | undefined> {
  const loaded = await loadState(store, ZONE);
  return loaded && Object.fromEntries(loaded.state.objects);
}

async function expectMoved({ from, to }: Renamed, objects: object): Promise<void> {
  expect(await objectsOf(to)).toEqual(objects);
  expect((await listRuns(await to.view(ZONE))).map(({ run }) => run).sort()).toEqual(["run-0", "run-1"]);
  expect([...(await readObservations(to, ZONE)).byId.keys()]).toEqual(["id-1"]);
  // Of the first save, and of the state before the stopped run was folded in.
  expect(await copiesOf(to)).toMatchObject({ 4: 3, 5: 2 });
  expect(await from.zones()).toEqual([]);
  expect(await loadState(from, ZONE)).toBeUndefined();
}

test("everything that is kept of a zone goes to the new name, and a copy of the state stays", async () => {
  const root = await prepare();
  const renamed = open(root);
  const objects = await objectsOf(renamed.from);
  expect(await movingZones(renamed)).toEqual([{ id: ZONE, name: "saas.eu", objects: 3 }]);
  await move(renamed);
  await expectMoved(renamed, objects ?? {});
  expect((await readdir(`${root}/old`)).some((name) => name.includes(".state.removed-"))).toBe(true);
  expect(await movingZones(renamed)).toEqual([]);
});

describe.each([
  ["crash", inFull(1, 4)],
  ["EIO", inFull(1, 11)],
] as const)("a move that ends at any call (%s)", (code, step) => {
  test("leaves the state under one name, or the same one under both, and is completed by the next", async () => {
    const template = await prepare();
    const objects = (await objectsOf(open(template).from)) ?? {};
    let failAt = 1;
    for (; failAt < MOST_CALLS; failAt += step) {
      const root = `${await temporaryFolder()}/.zoneform`;
      await cp(template, root, { recursive: true });
      const faulty = faultyDisk(disk("refuse"), { failAt, code });
      const ended = await move(open(root, faulty, FIRST_RUN)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!faulty.hasStruck()) break;
      if (code === "crash") expect(ended).toBeInstanceOf(Crash);
      else if (ended !== undefined) expect(ended).toBeInstanceOf(StateError);
      const renamed = open(root);
      const found = [await objectsOf(renamed.from), await objectsOf(renamed.to)].filter((each) => each !== undefined);
      expect(found.length).toBeGreaterThan(0);
      for (const each of found) expect(each).toEqual(objects);
      await move(renamed);
      await expectMoved(renamed, objects);
    }
    expect(failAt).toBeLessThan(MOST_CALLS);
    expect(failAt).toBeGreaterThan(40);
  });
});

test("a zone that has another state under the new name is not moved, and nothing else is either", async () => {
  const root = await prepare();
  const renamed = open(root);
  const lease = await renamed.to.lock(ZONE, HOLDER, 0);
  await saveState(renamed.to, lease, undefined, stateOf(1, { lineage: "another" }));
  await lease.release();
  await expect(movingZones(renamed)).rejects.toMatchObject({
    exitCode: 4,
    diagnostics: [{ code: "project-has-state" }],
  });
});

test("a state that was applied under the old name after a move was interrupted is not given up", async () => {
  const root = await prepare();
  const renamed = open(root);
  const lease = await renamed.to.lock(ZONE, HOLDER, 0);
  const source = await loadState(renamed.from, ZONE);
  // The copy is older than what the old name has by now.
  await saveState(renamed.to, lease, undefined, { ...stateOf(1), lineage: source?.state.lineage ?? "", serial: 0 });
  await lease.release();
  await expect(move(renamed)).rejects.toMatchObject({ diagnostics: [{ code: "project-has-state" }] });
});
