import { readFile, stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { ApplyReport, Outcome, ZoneReport } from "../../lib/apply/outcome.ts";
import { zoneId } from "../../lib/core/brand.ts";
import { Secret } from "../../lib/core/secret.ts";
import { applyExit } from "../../lib/engine/exit.ts";
import { disk } from "../../lib/real/disk.ts";
import { StateError } from "../../lib/state/error.ts";
import { loadState } from "../../lib/state/load.ts";
import { linesOf } from "../../lib/state/local/lines.ts";
import { lostFiles } from "../../lib/state/local/lost-files.ts";
import { localStores } from "../../lib/state/local/stores.ts";
import { decodeLost, encodeLost, type LostPlace, type LostResults } from "../../lib/state/lost-results.ts";
import { judgeLost, type Merge, mergeLost, type MergeTarget } from "../../lib/state/merge.ts";
import { sealedStores } from "../../lib/state/sealed/stores.ts";
import { StoreConflict } from "../../lib/state/store.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { temporaryFolder } from "../support/disk.ts";
import { changesOf, driftInWords, failuresOf, HOLDER, inWords, openRig, type Rig, ZONE } from "../support/engine.ts";
import { inFull } from "../support/full.ts";
import { given, processOf, random, clocksOf } from "../support/state-world.ts";

/** No apply of this zone makes so many calls of the store. */
const MOST_CALLS = 60;

const HOUR_MILLISECONDS = 3_600_000;

const BEFORE = [
  { hostname: "delete.customer.net", ssl: { method: "http" } },
  { hostname: "edit.customer.net", ssl: { method: "http" }, custom_metadata: { tier: "silver" } },
  { hostname: "keep.customer.net", ssl: { method: "http" } },
  { hostname: "replace.customer.net", ssl: { method: "http", cloudflare_branding: false } },
];

const AFTER = [
  { hostname: "create-a.customer.net", ssl: { method: "http" } },
  { hostname: "create-b.customer.net", ssl: { method: "http" } },
  { hostname: "create-c.customer.net", ssl: { method: "http" } },
  { hostname: "edit.customer.net", ssl: { method: "http" }, custom_metadata: { tier: "gold" } },
  { hostname: "keep.customer.net", ssl: { method: "http" } },
  { hostname: "replace.customer.net", ssl: { method: "http", cloudflare_branding: true } },
];

function configuration(entries: readonly object[]): object {
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: "fallback.saas.net" },
    custom_hostnames: { lifecycle: "zoneform", entries },
  };
}

/** How a store fails from some call on, for good; `late`: the first of these calls takes effect, and only its answer is lost. */
interface Fault {
  readonly throws: () => Error;
  readonly isLate?: true;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  "cannot be reached any more": { throws: unreachable },
  "cannot be reached any more, and the last answer was lost": { throws: unreachable, isLate: true },
  "has given the lock to somebody else": { throws: () => new StoreConflict("somebody released the lock") },
};

function unreachable(): Error {
  return new StateError({ code: "state-unreachable", message: "the server of the states did not come back" });
}

/** A store of which a run's calls fail from the given one on. */
interface Failing {
  readonly store: ProjectStore;
  /** Counts from 1 again. */
  failAt(call: number, fault: Fault): void;
  hasStruck(): boolean;
  heal(): void;
}

function failing(store: ProjectStore): Failing {
  let calls = 0;
  let set: { readonly at: number; readonly fault: Fault } | undefined;
  async function through<T>(act: () => Promise<T>): Promise<T> {
    calls += 1;
    if (!set || calls < set.at) return act();
    if (set.fault.isLate && calls === set.at) await act();
    throw set.fault.throws();
  }
  return {
    store: {
      ...store,
      append: (zone, lease, lines) => through(() => store.append(zone, lease, lines)),
      checkHeld: (zone, lease) => through(() => store.checkHeld(zone, lease)),
      write: (zone, lease, expected, lines) => through(() => store.write(zone, lease, expected, lines)),
      keep: (zone, lease, name, lines) => through(() => store.keep(zone, lease, name, lines)),
    },
    failAt: (at, fault) => {
      calls = 0;
      set = { at, fault };
    },
    hasStruck: () => set !== undefined && calls >= set.at,
    heal: () => {
      set = undefined;
    },
  };
}

interface World {
  readonly rig: Rig;
  readonly failing: Failing;
  readonly store: ProjectStore;
  readonly target: MergeTarget;
}

/** A zone in which the first configuration was applied and the second one is to be. */
async function changedWorld(passphrase?: Secret, lost?: LostPlace): Promise<World> {
  const folder = await temporaryFolder();
  let failed: Failing | undefined;
  const rig = openRig({
    zone: { plan: "enterprise" },
    files: { "zones/a.yaml": configuration(BEFORE) },
    lost: lost ?? lostFiles(disk("refuse"), `${folder}/lost`, random),
    store: (clock) => {
      const stores = localStores(disk("refuse"), `${folder}/states`, {
        identity: processOf(1),
        ...clocksOf(clock),
        random,
      });
      const sealing = { acceptsPlain: false, random, keyOf: async () => Buffer.alloc(32, 7) };
      const sealed = sealedStores(stores, { ...sealing, ...(passphrase ? { passphrase } : {}) });
      failed = failing(sealed.of("rig"));
      return failed.store;
    },
  });
  if (!failed) throw new Error("the rig opens its store");
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  await rig.run();
  rig.write("zones/a.yaml", configuration(AFTER));
  return { rig, failing: failed, store: failed.store, target: { project: "rig", store: failed.store } };
}

/** Applies; from the given call of the store on, every call fails. Counts the writes that were sent after the first failure. */
async function applyUntil({ rig, failing }: World, call: number, fault: Fault, parallelism: number): Promise<Failed> {
  const plan = await rig.plan();
  failing.failAt(call, fault);
  let late = 0;
  rig.network((request, _index, pass) => {
    if (request.method !== "GET" && failing.hasStruck()) late += 1;
    return pass();
  });
  const report = await rig.apply(plan, { parallelism });
  const hasStruck = failing.hasStruck();
  failing.heal();
  return { report, hasStruck, late };
}

interface Failed {
  readonly report: ApplyReport;
  readonly hasStruck: boolean;
  readonly late: number;
}

function zoneOf({ zones }: ApplyReport): ZoneReport {
  const [zone] = zones;
  if (!zone) throw new Error("the report has the zone");
  return zone;
}

function fileOf({ lost }: ZoneReport): string | undefined {
  return lost && "file" in lost.kept ? lost.kept.file : undefined;
}

/** What a run could not store; also checks that nobody else can read the file. */
async function readLost({ store }: World, report: ZoneReport): Promise<LostResults | undefined> {
  const file = fileOf(report);
  if (file === undefined) return undefined;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const lines = linesOf(disk().stream(file), file, "keep");
  return decodeLost(store.outside?.open(ZONE.id, lines, file) ?? lines, file);
}

/** The addresses of the requests of which the stored journal does not know the result. */
async function openAddresses({ target }: World): Promise<readonly string[]> {
  return ((await loadState(target.store, ZONE.id))?.open ?? []).map(({ address }) => address);
}

/**
 * The open addresses of which the report knows the result: they have to be in the file. If only the answer about an
 * intent was lost, it may be stored, and was not sent: it has no result.
 */
function knownResults(report: ApplyReport, open: readonly string[], { isLate }: Fault): readonly string[] {
  const isKnown = ({ status }: Outcome): boolean => (isLate ? status === "done" : status !== "unknown");
  const ended = zoneOf(report).ended.filter(({ outcome }) => isKnown(outcome));
  return open.filter((local) => ended.some(({ address }) => address.endsWith(local)));
}

/** One run, without anybody's help: live is as declared, the state has each object once and under its own id. */
async function expectConverged({ rig, target }: World, what: string): Promise<void> {
  await rig.restart();
  expect(driftInWords(await rig.drift()), what).toEqual([]);
  expect(failuresOf(await rig.run()), what).toEqual([]);
  expect(inWords(changesOf(await rig.plan()).filter(({ action }) => action !== "held")), what).toEqual([]);
  const live = rig.service.core.store.zones.get(ZONE.id)?.hostnames;
  const wanted = AFTER.map(({ hostname }) => hostname).sort();
  expect([...(live?.all() ?? [])].map(({ hostname }) => hostname).sort(), what).toEqual(wanted);
  const state = (await loadState(target.store, ZONE.id))?.state;
  const tracked = [...(state?.objects.values() ?? [])].filter(({ kind }) => kind === "custom_hostname");
  expect(tracked.map(({ key }) => key).sort(), what).toEqual(wanted);
  for (const { id, key, pending } of tracked) {
    expect(live?.named(key)?.id, what).toBe(id);
    expect(pending, what).toBeUndefined();
  }
}

const PARALLELISMS = [1, 4];

/** Each fault strikes at every sixth call, and together they strike at all; with `npm run test:full` each strikes at all. */
const STEP = inFull(1, 6);

function* callsOf(name: string, parallelism: number): Iterable<number> {
  const turn = Object.keys(FAULTS).indexOf(name) * PARALLELISMS.length + PARALLELISMS.indexOf(parallelism);
  for (let call = 1 + (turn % STEP); call <= MOST_CALLS; call += STEP) yield call;
}

describe.each(Object.entries(FAULTS))("a store that %s, at any call of an apply", (name, fault) => {
  test.each(PARALLELISMS)(
    "loses nothing, and the next run needs no help and no file (%i at once)",
    async (parallelism) => {
      let filed = 0;
      let last = 0;
      for (const call of callsOf(name, parallelism)) {
        const world = await changedWorld();
        const what = `${name}, call ${call}`;
        const { report, hasStruck, late } = await applyUntil(world, call, fault, parallelism);
        if (!hasStruck) break;
        last = call;
        const zone = zoneOf(report);
        // One at a time: what was in flight has ended before the next call of the store.
        if (parallelism === 1) expect(late, what).toBe(0);
        expect(applyExit(report).code, what).toBe(zone.stopped ? 1 : zone.unsaved ? 6 : 0);
        const unstored = knownResults(report, await openAddresses(world), fault);
        const lost = await readLost(world, zone);
        const filedAddresses = (lost?.records ?? []).map(({ address }) => address).sort();
        if (fault.isLate) expect(filedAddresses, what).toEqual(expect.arrayContaining([...unstored]));
        else expect(filedAddresses, what).toEqual([...unstored].sort());
        expect(zone.lost?.results, what).toBe(lost?.records.length);
        if (lost) filed += 1;
        await expectConverged(world, what);
      }
      expect(last).toBeGreaterThan(8);
      expect(last).toBeLessThan(MOST_CALLS - STEP);
      expect(filed).toBeGreaterThan(0);
    },
  );
});

describe("lost results", () => {
  /** The first call whose failure loses several results: the same for each of these runs. */
  let losing = 1;

  /** A run that could not store what it did, and the file that it left. */
  async function lose(passphrase?: Secret): Promise<{ world: World; lost: LostResults; file: string }> {
    for (let call = losing; call < MOST_CALLS; call += 1) {
      const world = await changedWorld(passphrase);
      const { report } = await applyUntil(world, call, { throws: unreachable }, 4);
      const zone = zoneOf(report);
      const lost = await readLost(world, zone);
      losing = call;
      if (lost && lost.records.length > 1) return { world, lost, file: fileOf(zone) ?? "" };
    }
    throw new Error("no call of the store loses several results");
  }

  async function merge({ target }: World, lost: LostResults): Promise<Merge> {
    const lease = await target.store.lock(lost.zone.id, HOLDER, 0);
    try {
      return await mergeLost(target, lease, lost);
    } finally {
      await lease.release();
    }
  }

  test("are merged once, and the next run has nothing to find out", async () => {
    const { world, lost } = await lose();
    const before = await openAddresses(world);
    expect(before).toEqual(expect.arrayContaining(lost.records.map(({ address }) => address)));
    expect(await judgeLost(world.target, lost)).toMatchObject({ missing: lost.records, known: 0 });
    expect((await merge(world, lost)).missing).toEqual(lost.records);
    const state = (await loadState(world.target.store, ZONE.id))?.state;
    for (const { address } of lost.records) {
      expect(state?.objects.get(address)?.pending).toBeUndefined();
      expect(state?.objects.get(address)?.unanswered).toBeUndefined();
    }
    const serial = state?.serial;
    expect(await merge(world, lost)).toMatchObject({
      missing: [],
      known: lost.records.length,
      saved: { state: { serial } },
    });
    await expectConverged(world, "merged");
  });

  test("are merged although an earlier attempt ended at any call of the store", async () => {
    let call = 1;
    for (; call < MOST_CALLS; call += 1) {
      const { world, lost } = await lose();
      world.failing.failAt(call, { throws: unreachable, ...(call % 2 === 0 ? { isLate: true } : {}) });
      await merge(world, lost).catch((thrown: unknown) => expect(thrown).toBeInstanceOf(StateError));
      const hasStruck = world.failing.hasStruck();
      world.failing.heal();
      const { missing, known } = await merge(world, lost);
      expect(missing.length + known).toBe(lost.records.length);
      expect(await openAddresses(world)).toEqual([]);
      await expectConverged(world, `merged after a failure at call ${call}`);
      if (!hasStruck) break;
    }
    expect(call).toBeGreaterThan(3);
    expect(call).toBeLessThan(MOST_CALLS);
  });

  test("are refused for another project, another state, or an object that has changed since", async () => {
    const { world, lost } = await lose();
    const [first] = lost.records;
    if (!first) throw new Error("there are results");
    const strange = { ...first, run: "another-run", ...(first.object ? { object: { ...first.object, id: "x" } } : {}) };
    const refused = [
      { ...lost, project: "another" },
      { ...lost, lineage: "another" },
      { ...lost, zone: { ...lost.zone, id: zoneId("0".repeat(32)) } },
      { ...lost, records: [strange] },
      { ...lost, records: [{ ...first, kind: "intent" as const }] },
      { ...lost, baseSerial: lost.baseSerial + 1 },
    ];
    for (const each of refused) {
      await expect(judgeLost(world.target, each)).rejects.toMatchObject({
        exitCode: 4,
        diagnostics: [{ code: "lost-results-refused" }],
      });
    }
    expect(await judgeLost(world.target, lost)).toMatchObject({ missing: lost.records });
  });

  test("are refused if any character of the file was changed, or the file was cut short", async () => {
    const { lost } = await lose();
    const whole = [...encodeLost(lost)];
    expect(await decodeLost(given(whole), "FILE")).toEqual(lost);
    const [head = "", ...rest] = whole;
    const changed = [
      [],
      whole.slice(0, -1),
      [head, ...rest.slice(1)],
      [head.replace('"rig"', '"rag"'), ...rest],
      [...rest, head],
    ];
    for (const lines of changed) {
      await expect(decodeLost(given(lines), "FILE")).rejects.toMatchObject({
        diagnostic: { code: "lost-results-damaged" },
      });
    }
  });

  test("are encrypted where the state is", async () => {
    const { world, lost, file } = await lose(new Secret("a passphrase that is long enough"));
    const text = await readFile(file, "utf8");
    for (const { address } of lost.records) expect(text).not.toContain(address);
    expect(text).not.toContain("customer.net");
    expect(text).not.toContain(lost.run);
    expect((await merge(world, lost)).missing).toHaveLength(lost.records.length);
    await expectConverged(world, "merged");
  });

  test("that no file can take are reported, and the next run finds out", async () => {
    const { rig, failing, ...rest } = await changedWorld(undefined, {
      keep: () => Promise.reject(new StateError({ code: "state-disk", message: "the disk is full" })),
    });
    let isReported = false;
    for (let call = 4; call < MOST_CALLS && !isReported; call += 1) {
      rig.write(
        "zones/a.yaml",
        configuration([...AFTER, { hostname: `more-${call}.customer.net`, ssl: { method: "http" } }]),
      );
      const { report } = await applyUntil({ rig, failing, ...rest }, call, { throws: unreachable }, 1);
      const { lost } = zoneOf(report);
      isReported = lost !== undefined;
      if (lost)
        expect(lost).toEqual({ results: 1, kept: { failure: expect.objectContaining({ code: "state-disk" }) } });
      if (lost) expect(applyExit(report).code).toBe(6);
    }
    expect(isReported).toBe(true);
    rig.write("zones/a.yaml", configuration(AFTER));
    await expectConverged({ rig, failing, ...rest }, "no file");
  });
});
