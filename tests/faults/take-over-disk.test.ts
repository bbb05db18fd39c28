import { cp, readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { disk } from "../../lib/real/disk.ts";
import { editState } from "../../lib/state/edit.ts";
import { StateError } from "../../lib/state/error.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { localStore } from "../../lib/state/local/store.ts";
import { localStores } from "../../lib/state/local/stores.ts";
import { encodeObservation } from "../../lib/state/observation.ts";
import { readObservations } from "../../lib/state/observations.ts";
import { openJournal } from "../../lib/state/open-journal.ts";
import { listRuns } from "../../lib/state/runs.ts";
import type { State } from "../../lib/state/state.ts";
import { Locked } from "../../lib/state/store.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { temporaryFolder } from "../support/disk.ts";
import { Crash, faultyDisk } from "../support/faulty-disk.ts";
import { inFull } from "../support/full.ts";
import {
  addressOf,
  collect,
  given,
  HOLDER,
  hostname,
  jumpingClock,
  plain,
  processOf,
  random,
  stateOf,
  ZONE,
  clocksOf,
} from "../support/state-world.ts";

const EARLIER_RUN = 500;
const FIRST_RUN = 1000;
const NEXT_RUN = 2000;
const OLDER_RUN = 3000;
const DEAD = new Set([EARLIER_RUN, FIRST_RUN, OLDER_RUN]);

/** Far more than a take-over needs; a test that reaches it would never end. */
const MOST_CALLS = 300;

const SAAS = { id: ZONE, name: "saas.eu" };

function optionsOf(pid: number): Parameters<typeof localStore>[2] {
  return { identity: processOf(pid, DEAD), ...clocksOf(jumpingClock()), random };
}

/** The store as a Zoneform opened it that kept all states in the root. */
function older(root: string, pid = OLDER_RUN): ProjectStore {
  return localStore(disk("refuse"), root, optionsOf(pid));
}

function open(root: string, project = "edge", fs: FileSystem = disk("refuse"), pid = NEXT_RUN): ProjectStore {
  return localStores(fs, root, optionsOf(pid)).of(project);
}

/** A root with everything that was once kept there of a zone: earlier states, records, observations, a stopped run's journal. */
async function prepare(): Promise<string> {
  const root = `${await temporaryFolder()}/.zoneform`;
  const store = older(root, EARLIER_RUN);
  const lease = await store.lock(ZONE, HOLDER, 0);
  const first = await saveState(store, lease, undefined, stateOf(3));
  const done = await openJournal(store, ZONE, lease, { clock: jumpingClock(), run: "run-0", state: first.state });
  await done.intend({ address: addressOf(0), action: "delete" });
  done.done({ address: addressOf(0), action: "delete" });
  await done.flush();
  const { state } = await saveState(store, lease, first.version, done.folded());
  const journal = await openJournal(store, ZONE, lease, { clock: jumpingClock(), run: "run-1", state });
  await journal.intend({ address: addressOf(5), action: "create", object: hostname(5) });
  await store.observe(ZONE, [seen(1)]);
  return root;
}

function seen(number: number): string {
  return encodeObservation({
    id: `id-${number}`,
    hostname: `app-${number}.customer.net`,
    status: "moved",
    at: "2026-11-01T00:00:00Z",
  });
}

/** What is known of the zone, from whichever place it is read. */
async function knowledge(store: ProjectStore): Promise<object> {
  const loaded = await loadState(store, ZONE);
  if (!loaded) throw new Error("the state is gone");
  return {
    state: plain(loaded.state),
    open: loaded.open.map(({ address }) => address),
    backups: await store.backups(ZONE),
    runs: (await listRuns(store, ZONE)).map(({ run }) => run),
    seen: [...(await readObservations(store, ZONE)).byId.keys()],
  };
}

/** A run of an older Zoneform; gives what it saved, or undefined where it was kept away. */
async function runOlder(root: string): Promise<State | undefined> {
  const store = older(root);
  try {
    const lease = await store.lock(ZONE, HOLDER, 0);
    const begun = await beginState(store, lease, SAAS, random);
    const editor = editState(begun.state);
    editor.set(addressOf(77), hostname(77));
    return (await saveState(store, lease, begun.version, editor.toState())).state;
  } catch (thrown) {
    if (thrown instanceof Locked || thrown instanceof StateError) return undefined;
    throw thrown;
  }
}

async function expectTakenOver(root: string): Promise<void> {
  const inRoot = (await readdir(root)).filter((name) => name.startsWith(ZONE)).sort();
  expect(inRoot).toEqual([`${ZONE}.lock`, `${ZONE}.moved-edge`, `${ZONE}.state`]);
  await expect(older(root).lock(ZONE, HOLDER, 0)).rejects.toThrow(`do not unlock: the state was moved to ${root}/edge`);
  await expect(loadState(older(root), ZONE)).rejects.toMatchObject({ diagnostic: { code: "state-newer" } });
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".lock") && name.includes("."));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(`${folder}/${name}`, "utf8")])),
  );
}

test("the state in the root is read until somebody takes the lock; then it is in the folder, whole, and nothing is lost", async () => {
  const root = await prepare();
  const before = await knowledge(older(root));
  expect(before).toMatchObject({ open: [addressOf(5)], runs: ["run-0"], seen: ["id-1"] });
  const store = open(root);
  expect(store.describe(ZONE)).toBe(`${root}/${ZONE}.state`);
  expect(await knowledge(store)).toEqual(before);
  expect(await store.zones()).toEqual([ZONE]);
  await (await store.lock(ZONE, HOLDER, 0)).release();
  expect(await knowledge(store)).toEqual(before);
  expect(store.describe(ZONE)).toBe(`${root}/edge/${ZONE}.state`);
  expect(await store.zones()).toEqual([ZONE]);
  await expectTakenOver(root);
  const files = await filesOf(`${root}/edge`);
  await (await store.lock(ZONE, HOLDER, 0)).release();
  expect(await filesOf(`${root}/edge`)).toEqual(files);
});

describe.each([
  ["crash", inFull(1, 2)],
  ["EIO", inFull(1, 7)],
  ["ENOSPC", inFull(1, 9)],
] as const)("a take-over that ends at any call (%s)", (code, step) => {
  test.each([
    ["and a newer Zoneform goes on", false],
    ["and an older one comes first", true],
  ])("loses nothing, and leaves one state, %s", async (_name, hasOlder) => {
    const template = await prepare();
    const before = await knowledge(older(template));
    const olderRuns = { saved: 0, keptAway: 0 };
    let failAt = 1;
    for (; failAt < MOST_CALLS; failAt += step) {
      const root = `${await temporaryFolder()}/.zoneform`;
      await cp(template, root, { recursive: true });
      const faulty = faultyDisk(disk("refuse"), { failAt, code });
      const ended = await open(root, "edge", faulty, FIRST_RUN)
        .lock(ZONE, HOLDER, 0)
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
      if (!faulty.hasStruck()) break;
      if (code === "crash") expect(ended).toBeInstanceOf(Crash);
      else if (ended !== undefined) expect(ended).toBeInstanceOf(StateError);
      expect(await knowledge(open(root))).toEqual(before);
      const saved = hasOlder ? await runOlder(root) : undefined;
      olderRuns[saved ? "saved" : "keptAway"] += 1;
      const after = await loadState(open(root), ZONE);
      if (saved) expect(after && plain(after.state)).toEqual(plain(saved));
      else expect(await knowledge(open(root))).toEqual(before);
      const lease = await open(root).lock(ZONE, HOLDER, 0);
      expect(plain((await loadState(open(root), ZONE))?.state ?? stateOf(0))).toEqual(after && plain(after.state));
      await lease.release();
      await expectTakenOver(root);
    }
    expect(failAt).toBeLessThan(MOST_CALLS);
    expect(failAt).toBeGreaterThan(25);
    if (hasOlder) expect(Math.min(olderRuns.saved, olderRuns.keptAway)).toBeGreaterThan(1);
  });
});

test("what a run without the lock saw of hostnames while the state was moved is kept", async () => {
  const root = await prepare();
  const real = disk("refuse");
  // At the moment that the copies count, a drift of an older Zoneform adds a line in the root.
  const fs: FileSystem = {
    ...real,
    rename: async (from, to) => {
      await real.rename(from, to);
      if (to.endsWith(".moved-edge")) await older(root).observe(ZONE, [seen(2)]);
    },
  };
  await (await open(root, "edge", fs).lock(ZONE, HOLDER, 0)).release();
  expect([...(await readObservations(open(root), ZONE)).byId.keys()]).toEqual(["id-1", "id-2"]);
  await expectTakenOver(root);
});

test("a state of the project's own counts, whatever lies in the root", async () => {
  const root = `${await temporaryFolder()}/.zoneform`;
  const own = open(root);
  const lease = await own.lock(ZONE, HOLDER, 0);
  await saveState(own, lease, undefined, stateOf(1));
  await lease.release();
  const early = older(root);
  const earlyLease = await early.lock(ZONE, HOLDER, 0);
  await saveState(early, earlyLease, undefined, stateOf(9));
  await earlyLease.release();
  expect((await loadState(own, ZONE))?.state.objects.size).toBe(1);
  await (await own.lock(ZONE, HOLDER, 0)).release();
  expect((await loadState(own, ZONE))?.state.objects.size).toBe(1);
  expect((await loadState(early, ZONE))?.state.objects.size).toBe(9);
});

test("the first project that takes the lock gets the state; no other one sees it from then on", async () => {
  const root = await prepare();
  expect(await loadState(open(root, "other"), ZONE)).toBeDefined();
  await (await open(root).lock(ZONE, HOLDER, 0)).release();
  expect(await loadState(open(root, "other"), ZONE)).toBeUndefined();
  await (await open(root, "other").lock(ZONE, HOLDER, 0)).release();
  expect(await loadState(open(root, "other"), ZONE)).toBeUndefined();
  expect(await loadState(open(root), ZONE)).toBeDefined();
});

test("while an older Zoneform holds the lock in the root, it is shown as the holder, and nothing is moved", async () => {
  const root = `${await temporaryFolder()}/.zoneform`;
  const early = older(root, 4000);
  const lease = await early.lock(ZONE, HOLDER, 0);
  await saveState(early, lease, undefined, stateOf(2));
  const store = open(root);
  const holding = await store.holding(ZONE);
  expect(holding?.holder?.who).toBe(HOLDER.who);
  await expect(store.lock(ZONE, HOLDER, 0)).rejects.toBeInstanceOf(Locked);
  expect(await store.holding(ZONE)).toEqual(holding);
  expect(await readdir(root)).not.toContain(`${ZONE}.moving-edge`);
  await store.unlock(ZONE, holding?.unlockId ?? "");
  await (await store.lock(ZONE, HOLDER, 0)).release();
  await expect(early.checkHeld(ZONE, lease)).rejects.toThrow("zoneform state unlock");
  await expectTakenOver(root);
  expect(await store.holding(ZONE)).toBeUndefined();
});

test("a reader that found the state in the root just before it was moved reads the same state", async () => {
  const root = await prepare();
  const store = open(root);
  const found = await store.read(ZONE);
  const [name = ""] = await store.names(ZONE);
  const record = await store.kept(ZONE, name);
  await (await open(root).lock(ZONE, HOLDER, 0)).release();
  const now = await store.read(ZONE);
  expect(await collect(found?.lines ?? given([]))).toEqual(await collect(now?.lines ?? given([])));
  expect(found?.version).toBe(now?.version);
  expect((await collect(record ?? given([]))).length).toBeGreaterThan(0);
});

test("evidence of a newer state in the root is still evidence once its lock is taken", async () => {
  const root = await prepare();
  const before = await older(root).taken(ZONE);
  const store = open(root);
  await (await store.lock(ZONE, HOLDER, 0)).release();
  expect((await store.taken(ZONE))?.serial).toBeGreaterThanOrEqual(before?.serial ?? Infinity);
});
