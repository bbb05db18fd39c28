import { describe, expect, test } from "vitest";
import { disk } from "../../lib/real/disk.ts";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { editState, type State } from "../../lib/state/state.ts";
import { StateError } from "../../lib/state/error.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { localStore, projectFolder } from "../support/local-store.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { Journal } from "../../lib/state/open-journal.ts";
import { Crash, type Fault, faultyDisk } from "../support/faulty-disk.ts";
import { inFull } from "../support/full.ts";
import {
  addressOf,
  clocksOf,
  HOLDER,
  hostname,
  jumpingClock,
  plain,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../support/state-world.ts";
import { past } from "../support/zone-history.ts";

const FIRST_RUN = 1000;
const NEXT_RUN = 2000;
/** Far more than a run needs; a test that reaches it would never end. */
const MOST_CALLS = 500;

/**
 * Each sort of fault strikes at every sixth call, and together they strike at all; with `npm run test:full` each
 * strikes at all.
 */
const STEP = inFull(1, 6);
const CODES = ["crash", "EIO", "ENOSPC", "EROFS"] as const;

function open(folder: string, fs: FileSystem, pid: number): ProjectStore {
  const identity = processOf(pid, new Set([FIRST_RUN]));
  return localStore(fs, folder, { identity, ...clocksOf(jumpingClock()), random });
}

/** What a run has been promised by the time it ended, one way or the other. */
interface Promises {
  /** Addresses whose intent was confirmed. */
  readonly intents: string[];
  /** Addresses whose result was flushed. */
  readonly results: string[];
  hasSaved: boolean;
}

/** A run like an apply: three hostnames are created, one is deleted, the state is saved. */
async function run(store: ProjectStore, promises: Promises): Promise<void> {
  await store.checkWritable(ZONE, 1000);
  const lease = await store.lock(ZONE, HOLDER, 0);
  const begun = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
  const journal = new Journal(store, ZONE, lease, { clock: jumpingClock(), run: "run-1", state: begun.state });
  for (const index of [7, 8, 9]) {
    const entry = { address: addressOf(index), action: "create", object: hostname(index) } as const;
    await journal.intend(entry);
    promises.intents.push(entry.address);
    journal.done(entry);
    await journal.flush();
    promises.results.push(entry.address);
  }
  await journal.intend({ address: addressOf(0), action: "delete" });
  journal.done({ address: addressOf(0), action: "delete" });
  await journal.flush();
  await saveState(store, lease, begun.version, journal.folded());
  promises.hasSaved = true;
  await lease.release();
}

/** A folder with a state of three hostnames and, if wanted, the journal of a dead run with an unfinished create. */
async function prepare(hasJournal: boolean): Promise<string> {
  const folder = await projectFolder();
  const store = open(folder, disk("refuse"), NEXT_RUN);
  await past(store, [{ saved: stateOf(3) }, ...(hasJournal ? [{ run: "run-0", left: { create: [5] } }] : [])]);
  return folder;
}

/** Checks that a state is possible after these promises: nothing lost, nothing invented. */
function expectKept(state: State, before: State, promises: Promises): void {
  expect(state.lineage).toBe(before.lineage);
  expect(state.secretKey).toBe(before.secretKey);
  for (const [address, object] of before.objects) {
    if (address !== addressOf(0)) expect(state.objects.get(address)).toEqual(object);
  }
  for (const address of promises.intents) expect(state.objects.has(address)).toBe(true);
  for (const address of promises.results) expect(state.objects.get(address)).not.toHaveProperty("pending");
  const known = new Set([...before.objects.keys(), ...[7, 8, 9].map(addressOf)]);
  expect([...state.objects.keys()].filter((address) => !known.has(address))).toEqual([]);
  if (promises.hasSaved)
    expect([...state.objects.keys()].sort()).toEqual([...known].filter((one) => one !== addressOf(0)).sort());
}

/** One run with one fault, and what the next run finds. Returns whether the fault struck. */
async function fail(fault: Fault, hasJournal: boolean): Promise<boolean> {
  const folder = await prepare(hasJournal);
  const before = await loadState(open(folder, disk("refuse"), NEXT_RUN), ZONE);
  if (!before) throw new Error("the state was not prepared");
  const promises: Promises = { intents: [], results: [], hasSaved: false };
  const faulty = faultyDisk(disk("refuse"), fault);
  const ended = await run(open(folder, faulty, FIRST_RUN), promises).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (fault.code === "crash") expect(ended === undefined || ended instanceof Crash).toBe(true);
  else if (ended !== undefined) expect(ended).toBeInstanceOf(StateError);
  await goOn(folder, before.state, promises);
  return faulty.hasStruck();
}

/** The next run reads the state, takes the dead run's lock, and saves, without anybody's help. */
async function goOn(folder: string, before: State, promises: Promises): Promise<void> {
  const store = open(folder, disk("refuse"), NEXT_RUN);
  const loaded = await loadState(store, ZONE);
  if (!loaded) throw new Error("the state is gone");
  expectKept(loaded.state, before, promises);
  const lease = await store.lock(ZONE, HOLDER, 0);
  const begun = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
  expect(begun.state.objects).toEqual(loaded.state.objects);
  const editor = editState(begun.state);
  editor.set(addressOf(99), hostname(99));
  const saved = await saveState(store, lease, begun.version, editor.toState());
  const reread = await loadState(store, ZONE);
  expect(reread && plain(reread.state)).toEqual(plain(saved.state));
}

describe.each(CODES)("%s", (code) => {
  test.each([
    ["after a clean run", false],
    ["after a run that died", true],
  ])(
    "at every call that changes the disk, %s: nothing promised is lost, and the next run continues",
    async (_name, hasJournal) => {
      let failAt = 1 + (CODES.indexOf(code) % STEP);
      while (failAt < MOST_CALLS && (await fail({ failAt, code }, hasJournal))) failAt += STEP;
      // It must have ended because a run needs fewer calls; and a run that needs few would prove nothing.
      expect(failAt).toBeLessThan(MOST_CALLS);
      expect(failAt).toBeGreaterThan(30);
    },
  );
});

test.each(["crash", "EIO", "ENOSPC"] as const)(
  "a replacement that meets %s leaves the old state or the new one",
  async (code) => {
    for (let failAt = 1; ; failAt++) {
      const folder = await prepare(false);
      const store = open(folder, disk("refuse"), NEXT_RUN);
      const lease = await store.lock(ZONE, HOLDER, 0);
      const old = await loadState(store, ZONE);
      const wanted = stateOf(50, { serial: 4 });
      const faulty = faultyDisk(disk("refuse"), { failAt, code });
      await saveState(open(folder, faulty, NEXT_RUN), lease, old?.version, wanted).catch(() => undefined);
      const found = await loadState(store, ZONE);
      const outcomes = [old && plain(old.state), plain({ ...wanted, serial: 5 })];
      expect(outcomes).toContainEqual(found && plain(found.state));
      if (!faulty.hasStruck()) break;
    }
  },
);
