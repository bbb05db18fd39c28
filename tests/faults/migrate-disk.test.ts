import { cp } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { Secret } from "../../lib/core/secret.ts";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { disk } from "../../lib/real/disk.ts";
import { StateError } from "../../lib/state/error.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { migratingZones, type Migration, migrationPlace } from "../../lib/state/upkeep/migrate.ts";
import { encodeObservation, readObservations } from "../../lib/state/observations.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import { listRuns } from "../../lib/state/runs.ts";
import { sealedStores } from "../../lib/state/zone/sealing/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { Crash, faultyDisk } from "../support/faulty-disk.ts";
import { inFull } from "../support/full.ts";
import { moveStates } from "../support/moving-states.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random, stateOf, ZONE } from "../support/state-world.ts";
import { contentOf } from "../support/store-content.ts";
import { past } from "../support/zone-history.ts";

const FIRST_RUN = 1000;
const NEXT_RUN = 2000;
const DEAD = new Set([FIRST_RUN]);

/** Far more than a move needs; a test that reaches it would never end. */
const MOST_CALLS = 600;

const WORLD = { clock: jumpingClock(), random };
const PASSPHRASE = new Secret("a passphrase that is long enough");

interface Opening {
  readonly fs?: FileSystem;
  readonly pid?: number;
  readonly isSealed?: boolean;
}

function openAt(folder: string, { fs = disk("refuse"), pid = NEXT_RUN, isSealed = false }: Opening = {}): StateStores {
  const stores = localStores(fs, folder, { identity: processOf(pid, DEAD), ...clocksOf(jumpingClock()), random });
  const sealing = { acceptsPlain: false, random, keyOf: async () => Buffer.alloc(32, 7) };
  return sealedStores(stores, { ...sealing, ...(isSealed ? { passphrase: PASSPHRASE } : {}) });
}

function open(root: string, opening: Opening = {}): Migration {
  const [old, next] = [openAt(`${root}/old`, opening), openAt(`${root}/new`, opening)];
  return {
    project: "edge",
    from: migrationPlace(old, "edge", WORLD),
    to: migrationPlace(next, "edge", WORLD),
  };
}

/** What a command finds that opens the place as commands do. */
function asCommand(root: string, place: "old" | "new", opening: Opening = {}): ProjectStore {
  return refusingMoved(openAt(`${root}/${place}`, opening), WORLD).of("edge");
}

/** A state with earlier copies, a run that can be undone, a stopped run's journal, and the observations of a hostname. */
async function prepare(opening: Opening = {}): Promise<string> {
  const root = await temporaryFolder();
  const { store } = open(root, { ...opening, pid: FIRST_RUN }).from;
  await past(store, [
    { saved: stateOf(3) },
    { run: "run-0", did: { delete: [0] } },
    { saved: "again" },
    { run: "run-1", left: { create: [5] } },
  ]);
  await store.observe(ZONE, [
    encodeObservation({ id: "id-1", hostname: "a.net", status: "moved", at: "2026-11-01T00:00:00Z" }),
  ]);
  return root;
}

/** Everything that a folder keeps, opened. */
async function allOf(store: ProjectStore): Promise<object> {
  return { ...(await contentOf(store)), observations: [...(await readObservations(store, ZONE)).byId.keys()] };
}

async function expectMoved(root: string, content: object, opening: Opening = {}): Promise<void> {
  expect(await allOf(asCommand(root, "new", opening))).toEqual(content);
  const old = asCommand(root, "old", opening);
  const code = { diagnostic: { code: "state-moved", message: expect.stringContaining(` to ${root}/new`) } };
  await expect(loadState(old, ZONE)).rejects.toMatchObject(code);
  await expect(old.lock(ZONE, HOLDER, 0)).rejects.toMatchObject(code);
}

test.each([false, true])(
  "everything that is kept goes to the new place, and the old one names it (encrypted: %s)",
  async (isSealed) => {
    const root = await prepare({ isSealed });
    const content = await allOf(open(root, { isSealed }).from.store);
    expect(content).toMatchObject({
      copies: [
        [5, expect.anything()],
        [4, expect.anything()],
      ],
      observations: ["id-1"],
    });
    await moveStates(open(root, { isSealed }));
    await expectMoved(root, content, { isSealed });
    expect((await listRuns(await asCommand(root, "new", { isSealed }).view(ZONE))).map(({ run }) => run)).toEqual([
      "run-0",
    ]);
    await moveStates(open(root, { isSealed }));
    await expectMoved(root, content, { isSealed });
  },
);

test("a zone that had no state before the move gets none at the old place", async () => {
  const root = await prepare();
  await moveStates(open(root));
  const other = "f".repeat(32);
  const old = asCommand(root, "old");
  await expect(loadState(old, zoneId(other))).rejects.toMatchObject({ diagnostic: { code: "state-moved" } });
  await expect(old.lock(zoneId(other), HOLDER, 0)).rejects.toMatchObject({ diagnostic: { code: "state-moved" } });
});

test("states go back to where they were, with what was applied since", async () => {
  const root = await prepare();
  await moveStates(open(root));
  const { from, to } = open(root);
  const store = asCommand(root, "new");
  const lease = await store.lock(ZONE, HOLDER, 0);
  const loaded = await loadState(store, ZONE);
  await saveState(store, lease, loaded?.version, loaded?.state ?? stateOf(0));
  await lease.release();
  const content = await allOf(store);
  await moveStates({ project: "edge", from: to, to: from });
  expect(await allOf(asCommand(root, "old"))).toEqual(content);
  await expect(loadState(asCommand(root, "new"), ZONE)).rejects.toMatchObject({ diagnostic: { code: "state-moved" } });
});

test("a place with another state of the project is refused, and nothing is changed", async () => {
  const root = await prepare();
  const migration = open(root);
  const lease = await migration.to.store.lock(ZONE, HOLDER, 0);
  await saveState(migration.to.store, lease, undefined, stateOf(1, { lineage: "another" }));
  await lease.release();
  const before = [await allOf(migration.from.store), await allOf(migration.to.store)];
  await expect(migratingZones(migration)).rejects.toMatchObject({
    exitCode: 4,
    diagnostics: [{ code: "project-has-state" }],
  });
  expect([await allOf(asCommand(root, "old")), await allOf(asCommand(root, "new"))]).toEqual(before);
});

describe.each([
  ["crash", inFull(1, 3)],
  ["EIO", inFull(1, 11)],
] as const)("a move that ends at any call (%s)", (code, step) => {
  test("leaves one place that counts, the whole one, and is completed by the next", async () => {
    const template = await prepare();
    const content = await allOf(open(template).from.store);
    let failAt = 1;
    for (; failAt < MOST_CALLS; failAt += step) {
      const root = await temporaryFolder();
      await cp(template, root, { recursive: true });
      const faulty = faultyDisk(disk("refuse"), { failAt, code });
      const ended = await moveStates(open(root, { fs: faulty, pid: FIRST_RUN })).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!faulty.hasStruck()) break;
      // The last call frees a lock, and whether that worked is not the move's concern.
      if (ended !== undefined) expect(ended).toBeInstanceOf(code === "crash" ? Crash : StateError);
      const what = `${code} at call ${failAt}`;
      const readable: ("old" | "new")[] = [];
      for (const place of ["old", "new"] as const) {
        const loaded = await loadState(asCommand(root, place), ZONE).catch((thrown: unknown) => thrown);
        if (loaded instanceof StateError)
          expect(["state-moved", "state-arriving"], what).toContain(loaded.diagnostic.code);
        else if (loaded !== undefined) readable.push(place);
      }
      // Between the last mark at the old place and the first at the new one, both refuse.
      expect(readable.length, what).toBeLessThan(2);
      for (const place of readable) expect(await allOf(asCommand(root, place)), what).toEqual(content);
      await moveStates(open(root));
      await expectMoved(root, content);
    }
    expect(failAt).toBeLessThan(MOST_CALLS);
    expect(failAt).toBeGreaterThan(60);
  });
});
