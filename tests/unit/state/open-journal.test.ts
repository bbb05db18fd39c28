import { describe, expect, test } from "vitest";
import { loadState, saveState } from "../../../lib/state/load.ts";
import { Journal } from "../../../lib/state/open-journal.ts";
import type { State } from "../../../lib/state/state.ts";
import type { Lease } from "../../../lib/state/lock.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { addressOf, collect, HOLDER, hostname, jumpingClock, plain, stateOf, ZONE } from "../../support/state-world.ts";
import { changedStore } from "../../support/changed-store.ts";

interface Run {
  readonly store: ProjectStore;
  readonly lease: Lease;
  readonly state: State;
  readonly journal: Journal;
}

/** A run over a state of ten hostnames; `append` replaces the store's own. */
async function start(store: ProjectStore = memoryStore()): Promise<Run> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  const { state } = await saveState(store, lease, undefined, stateOf(10));
  const journal = new Journal(store, ZONE, lease, { clock: jumpingClock(), run: "run-1", state });
  return { store, lease, state, journal };
}

function create(index: number): { address: string; action: "create"; object: ReturnType<typeof hostname> } {
  return { address: addressOf(index), action: "create", object: hostname(index) };
}

/** A store that counts its appends and fails them from the given one on. */
function countingStore(failFrom = Infinity): { store: ProjectStore; appends: () => number } {
  const real = memoryStore();
  let appends = 0;
  const append: ProjectStore["append"] = async (zone, lease, lines) => {
    appends += 1;
    if (appends >= failFrom) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    await real.append(zone, lease, lines);
  };
  return { store: changedStore(real, { append }), appends: () => appends };
}

describe("an intent", () => {
  test("is in the journal before it returns", async () => {
    const { store, journal } = await start();
    await journal.intend(create(20));
    expect((await collect((await store.view(ZONE)).journal())).at(-1)).toContain("app-20.customer.net");
  });

  test("shares one append with all concurrent ones, and the next with all that come meanwhile", async () => {
    const { store, appends } = countingStore();
    const { journal } = await start(store);
    const first = Array.from({ length: 50 }, (_none, index) => journal.intend(create(100 + index)));
    await Promise.resolve();
    const second = Array.from({ length: 50 }, (_none, index) => journal.intend(create(200 + index)));
    await Promise.all([...first, ...second]);
    expect(appends()).toBeLessThanOrEqual(2);
    expect(await collect((await store.view(ZONE)).journal())).toHaveLength(101);
  });

  test("is refused if it could not be written, and so is every later one", async () => {
    const { store, appends } = countingStore(2);
    const { journal } = await start(store);
    await journal.intend(create(20));
    await expect(journal.intend(create(21))).rejects.toThrow("the disk is full");
    await expect(journal.intend(create(22))).rejects.toThrow("the disk is full");
    await expect(journal.flush()).rejects.toThrow("the disk is full");
    expect(appends()).toBe(2);
  });

  test("leaves no trace if it could not be written: no request was sent", async () => {
    const { journal } = await start(countingStore(2).store);
    await journal.intend(create(20));
    await expect(journal.intend(create(21))).rejects.toThrow();
    expect(journal.folded().objects.get(addressOf(20))).toMatchObject({ pending: "create" });
    expect(journal.folded().objects.has(addressOf(21))).toBe(false);
  });
});

describe("a result", () => {
  test("is written with the next intent, and with a flush", async () => {
    const { store, appends } = countingStore();
    const { journal } = await start(store);
    await journal.intend(create(20));
    journal.done(create(20));
    expect(appends()).toBe(1);
    await journal.intend(create(21));
    journal.done(create(21));
    await journal.flush();
    expect(appends()).toBe(3);
    expect((await loadState(store, ZONE))?.state.objects.get(addressOf(21))).toEqual(hostname(21));
  });

  test("a flush with nothing new writes nothing", async () => {
    const { store, appends } = countingStore();
    const { journal } = await start(store);
    await journal.intend(create(20));
    await journal.flush();
    await journal.flush();
    expect(appends()).toBe(1);
  });
});

test("the folded state is what the next run would read", async () => {
  const { store, journal } = await start();
  await journal.intend(create(20));
  journal.done(create(20));
  await journal.intend(create(21));
  await journal.intend({ address: addressOf(1), action: "delete" });
  journal.done({ address: addressOf(1), action: "delete" });
  await journal.intend({ address: addressOf(2), action: "delete" });
  journal.failed({ address: addressOf(2), action: "delete" });
  await journal.intend({ address: addressOf(3), action: "update" });
  journal.gone({ address: addressOf(3), action: "update" });
  await journal.flush();
  const loaded = await loadState(store, ZONE);
  expect(loaded && plain(loaded.state)).toEqual(plain(journal.folded()));
  expect([...journal.folded().objects.keys()]).not.toContain(addressOf(1));
});

test("what it recorded need not be read back, unless it is much", async () => {
  const { store, journal } = await start();
  await journal.intend(create(20));
  expect(await collect((journal.lines() ?? fail)())).toEqual(await collect((await store.view(ZONE)).journal()));
  const applied = { note: "x".repeat(5 * 1024 * 1024) };
  await journal.intend({ ...create(21), object: { ...hostname(21), applied } });
  expect(journal.lines()).toBeUndefined();
});

function fail(): never {
  throw new Error("a short journal has lines");
}
