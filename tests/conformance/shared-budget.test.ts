import { describe, expect, test } from "vitest";
import type { Clock } from "../../lib/core/clock.ts";
import type { SharedBudget } from "../../lib/core/shared-budget.ts";
import { turns } from "../../lib/core/turns.ts";
import { StateError } from "../../lib/state/error.ts";
import { makePlan, type Planned } from "../../lib/engine/plan.ts";
import { totalCost } from "../../lib/plan/cost.ts";
import { applyExit } from "../../lib/engine/exit.ts";
import { changesOf, endingsOf, failuresOf, NO_LIMITS, openRig, type Rig, type RigOptions } from "../support/engine.ts";
import { memoryBudget } from "../support/memory-budget.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openServerClock, openStores, serverAddress } from "../support/postgres-stores.ts";

const IDS = ["1", "2"].map((digit) => digit.repeat(32));
const ZONES = IDS.map((id, index) => ({ id, name: `zone${index}.net` }));
/** All that the service allows: one certificate or one call too many is refused. */
const WHOLE = { api: "100%", issuance: { per_minute: 15, reserve: 0 } };
const MINUTE = 60_000;

/** A budget whose requests this process waits for. */
interface Store {
  readonly budget: (clock: Clock) => SharedBudget;
  readonly isBusy: () => boolean;
}

/** A runner that applies one zone, which has hostnames with certificates. */
function runnerOf(zone: number, hostnames: number, options: Partial<RigOptions>): Rig {
  const entries = Array.from({ length: hostnames }, (_none, number) => ({
    hostname: `h${String(number).padStart(4, "0")}.customer${zone}.net`,
    ssl: { method: "http" },
  }));
  const project = { version: 1, project: "rig", zones: ["zones/*.yaml"], budget: WHOLE, deletion_limits: NO_LIMITS };
  return openRig({
    hasUsualLimits: true,
    zones: ZONES,
    files: {
      "zoneform.yaml": project,
      "zones/zone.yaml": { version: 1, zone: ZONES[zone] ?? {}, custom_hostnames: { lifecycle: "zoneform", entries } },
    },
    seed: zone + 1,
    ...options,
  });
}

/** Counts the calls that the service refuses as too many, and notes when it counts certificates. */
function watch(rig: Rig): { refused: number; readonly orders: number[] } {
  const seen: { refused: number; readonly orders: number[] } = { refused: 0, orders: [] };
  rig.network(async ({ method, url }, _index, pass) => {
    const answer = await pass();
    if (answer.status === 429) seen.refused += 1;
    if (method === "POST" && url.includes("custom_hostnames") && answer.status < 300) seen.orders.push(rig.clock.now());
    return answer;
  });
  return seen;
}

async function inPostgres(): Promise<Store> {
  const address = await serverAddress();
  const { schema, serverTime, pass } = await openServerClock(address);
  let busy = 0;
  /** What the clocks showed when the server's was moved last. */
  let shown: number | undefined;
  const inTurn = turns();
  /** A clock of the server that goes with that of the test, and is months behind. A draw waits until it shows the time. */
  const keepUp = (clock: Clock): Promise<void> =>
    inTurn(async () => {
      const now = clock.now();
      if (shown !== undefined && now > shown) await pass(now - shown);
      shown = now;
    });
  const budget = (clock: Clock): SharedBudget => {
    const { budget: real } = openStores(address, { schema, serverTime });
    if (!real) throw new Error("a store in PostgreSQL has a shared budget");
    return {
      draw: async (drawer, draws) => {
        busy += 1;
        try {
          await keepUp(clock);
          return await real.draw(drawer, draws);
        } finally {
          busy -= 1;
        }
      },
    };
  };
  return { budget, isBusy: () => busy > 0 };
}

async function inMemory(): Promise<Store> {
  let shared: SharedBudget | undefined;
  const budget = (clock: Clock): SharedBudget => (shared ??= memoryBudget(() => clock.now()));
  return { budget, isBusy: () => false };
}

describe.each([
  ["in PostgreSQL", inPostgres, NO_POSTGRES],
  ["in memory", inMemory, undefined],
] as const)("a budget that runners share %s", (_where, make, isSkipped) => {
  test.skipIf(isSkipped)(
    "two runners that apply two zones at once are refused no call, and take as long as one for both",
    async () => {
      const store = await make();
      const one = runnerOf(0, 20, store);
      const other = runnerOf(1, 20, { ...store, besides: one });
      const rigs = [one, other];
      const plans = await Promise.all(rigs.map((rig) => rig.plan()));
      await one.wait(10 * MINUTE);
      const watched = rigs.map(watch);
      const began = one.clock.now();
      const reports = await Promise.all(rigs.map((rig, index) => rig.apply(plans[index] ?? never())));
      expect(reports.flatMap(failuresOf)).toEqual([]);
      expect(watched.map(({ refused }) => refused)).toEqual([0, 0]);
      // 40 at 15 a minute, and a little for places that one gave back while the other waited.
      expect((one.clock.now() - began) / MINUTE).toBeLessThan(2.6);
      const orders = watched.flatMap((each) => each.orders);
      expect(orders).toHaveLength(40);
      for (const from of orders)
        expect(orders.filter((at) => at >= from && at < from + MINUTE).length).toBeLessThanOrEqual(15);
    },
  );

  test.skipIf(isSkipped)(
    "one that is killed with places in hand: the other is refused nothing, and the rest converges",
    async () => {
      const store = await make();
      const one = runnerOf(0, 20, store);
      const other = runnerOf(1, 20, { ...store, besides: one });
      const plan = await other.plan();
      const [dying, living] = [watch(one), watch(other)];
      one.network(async (request, _index, pass) => {
        const answer = await pass();
        if (answer.status === 429) dying.refused += 1;
        if (request.method === "POST") dying.orders.push(one.clock.now());
        if (dying.orders.length === 5) one.crash();
        return answer;
      });
      const [ended, report] = await Promise.all([one.untilCrash(one.run()), other.apply(plan)]);
      expect(ended).toBe("crashed");
      expect(failuresOf(report)).toEqual([]);
      await one.restart();
      const after = watch(one);
      expect(failuresOf(await one.run())).toEqual([]);
      expect([dying, living, after].map(({ refused }) => refused)).toEqual([0, 0, 0]);
      expect(changesOf(await one.plan())).toEqual([]);
    },
  );

  test.skipIf(isSkipped)("a runner that is alone takes as long as without others", async () => {
    const store = await make();
    const took = async (options: Partial<RigOptions>): Promise<number> => {
      const rig = runnerOf(0, 40, options);
      const plan = await rig.plan();
      await rig.wait(10 * MINUTE);
      const watched = watch(rig);
      const began = rig.clock.now();
      expect(failuresOf(await rig.apply(plan))).toEqual([]);
      expect(watched.refused).toBe(0);
      return (rig.clock.now() - began) / 1000;
    };
    const [shared, alone] = [await took(store), await took({})];
    expect(alone).toBeCloseTo(120, 0);
    expect(shared).toBeLessThan(alone * 1.03);
  });
});

test("if the store cannot be asked any more, an apply stops, exits with 6, and the next one does the rest", async () => {
  let isGone = false;
  let [draws, vain] = [0, 0];
  const budget = (clock: Clock): SharedBudget => {
    const store = memoryBudget(() => clock.now());
    return {
      draw: async (drawer, wanted) => {
        draws += 1;
        if (!isGone) return store.draw(drawer, wanted);
        vain += 1;
        await clock.sleep(MINUTE);
        throw new StateError({ code: "state-unreachable", message: "the state at model://x cannot be reached" });
      },
    };
  };
  const rig = runnerOf(0, 20, { budget });
  const plan = await rig.plan();
  const sent: string[] = [];
  rig.network(async ({ method }, _index, pass) => {
    if (method === "POST") sent.push(method);
    isGone ||= sent.length === 6;
    return pass();
  });
  const began = rig.clock.now();
  const report = await rig.apply(plan);
  expect(rig.clock.now() - began).toBeLessThan(2 * MINUTE);
  expect([draws > vain, vain]).toEqual([true, 1]);
  expect(applyExit(report).code).toBe(6);
  const endings = endingsOf(report).map(({ outcome }) => outcome);
  expect(endings.filter(({ status }) => status === "done").length).toBeGreaterThanOrEqual(1);
  expect(endings.filter(({ status }) => status === "done").length).toBe(sent.length);
  expect(JSON.stringify(endings)).toContain("state-unreachable");
  isGone = false;
  await rig.restart();
  expect(failuresOf(await rig.run())).toEqual([]);
  expect(changesOf(await rig.plan())).toEqual([]);
});

test("a plan divides the budget by budget.runners only where the runners cannot share it, and says so", async () => {
  const budget = { api: "100%", issuance: { per_minute: 15, reserve: 0 }, runners: 4 };
  const project = { version: 1, project: "rig", zones: ["zones/*.yaml"], budget, deletion_limits: NO_LIMITS };
  const planned = async (options: Partial<RigOptions>): Promise<Planned> => {
    const rig = runnerOf(0, 20, options);
    rig.write("zoneform.yaml", project);
    return makePlan(rig.world(), { file: rig.file });
  };
  const apart = await planned({});
  expect(apart.plan.budget.runners).toBe(4);
  expect(apart.warnings).toEqual([]);
  // 3 certificates a minute, against 15.
  expect(totalCost(apart.plan).seconds).toBe(360);
  const together = await planned(await inMemory());
  expect(together.plan.budget.runners).toBeUndefined();
  expect(together.warnings).toMatchObject([{ severity: "warning", code: "runners-not-used" }]);
  expect(together.warnings[0]?.at?.file).toMatch(/zoneform\.yaml$/);
  expect(totalCost(together.plan).seconds).toBe(60);
  expect(together.plan.hash).toBe(apart.plan.hash);
});

function never(): never {
  throw new Error("each rig has its plan");
}
