import { describe, expect, test } from "vitest";
import type { ApplyReport, Outcome, ZoneReport } from "../../lib/apply/outcome.ts";
import { applyExit } from "../../lib/engine/exit.ts";
import { disk } from "../../lib/real/disk.ts";
import { StateError } from "../../lib/state/error.ts";
import { loadState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { StoreConflict } from "../../lib/state/lock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { changesOf, driftInWords, failuresOf, inWords, openRig, type Rig, ZONE } from "../support/engine.ts";
import { inFull } from "../support/full.ts";
import { clocksOf, processOf, random } from "../support/state-world.ts";
import { changedStore } from "../support/changed-store.ts";

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
    store: changedStore(store, {
      append: (zone, lease, lines) => through(() => store.append(zone, lease, lines)),
      checkLease: (zone, lease) => through(() => store.checkLease(zone, lease)),
      write: (zone, lease, expected, lines, beside) => through(() => store.write(zone, lease, expected, lines, beside)),
      keep: (zone, lease, name, lines, discard) => through(() => store.keep(zone, lease, name, lines, discard)),
    }),
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
}

/** A zone in which the first configuration was applied and the second one is to be. */
async function changedWorld(): Promise<World> {
  const folder = await temporaryFolder();
  let failed: Failing | undefined;
  const rig = openRig({
    zone: { plan: "enterprise" },
    files: { "zones/a.yaml": configuration(BEFORE) },
    store: (clock) => {
      const stores = localStores(disk("refuse"), `${folder}/states`, {
        identity: processOf(1),
        ...clocksOf(clock),
        random,
      });
      failed = failing(stores.of("rig"));
      return failed.store;
    },
  });
  if (!failed) throw new Error("the rig opens its store");
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  await rig.run();
  rig.write("zones/a.yaml", configuration(AFTER));
  return { rig, failing: failed, store: failed.store };
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

/** The addresses of the requests of which the stored journal does not know the result. */
async function openAddresses({ store }: World): Promise<readonly string[]> {
  return ((await loadState(store, ZONE.id))?.intents ?? []).map(({ address }) => address);
}

/**
 * The open addresses of which the report knows the result: it counts them as lost. If only the answer about an
 * intent was lost, it may be stored, and was not sent: it has no result.
 */
function knownResults(report: ApplyReport, open: readonly string[], { isLate }: Fault): readonly string[] {
  const isKnown = ({ status }: Outcome): boolean => (isLate ? status === "done" : status !== "unknown");
  const ended = zoneOf(report).ended.filter(({ outcome }) => isKnown(outcome));
  return open.filter((local) => ended.some(({ address }) => address.endsWith(local)));
}

/** One run, without anybody's help: live is as declared, the state has each object once and under its own id. */
async function expectConverged({ rig, store }: World, what: string): Promise<void> {
  await rig.restart();
  expect(driftInWords(await rig.drift()), what).toEqual([]);
  expect(failuresOf(await rig.run()), what).toEqual([]);
  expect(inWords(changesOf(await rig.plan()).filter(({ action }) => action !== "held")), what).toEqual([]);
  const live = rig.service.core.store.zones.get(ZONE.id)?.hostnames;
  const wanted = AFTER.map(({ hostname }) => hostname).sort();
  expect([...(live?.all() ?? [])].map(({ hostname }) => hostname).sort(), what).toEqual(wanted);
  const state = (await loadState(store, ZONE.id))?.state;
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
    "loses nothing, and the next run finds out what the report could only count (%i at once)",
    async (parallelism) => {
      let counted = 0;
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
        if (fault.isLate) expect(zone.lost ?? 0, what).toBeGreaterThanOrEqual(unstored.length);
        else expect(zone.lost ?? 0, what).toBe(unstored.length);
        if (zone.lost) counted += 1;
        await expectConverged(world, what);
      }
      expect(last).toBeGreaterThan(5);
      expect(last).toBeLessThan(MOST_CALLS - STEP);
      expect(counted).toBeGreaterThan(0);
    },
  );
});
