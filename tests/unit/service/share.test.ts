import { describe, expect, it } from "vitest";
import type { Clock } from "../../../lib/core/clock.ts";
import { Secret } from "../../../lib/core/secret.ts";
import { BLOCK_LIFE_MILLISECONDS, type Draw, type SharedBudget } from "../../../lib/core/shared-budget.ts";
import { openGovernor } from "../../../lib/service/governor.ts";
import { openShare, type Share } from "../../../lib/service/share.ts";
import { StateError } from "../../../lib/state/error.ts";
import { manualClock } from "../../support/clock.ts";
import { memoryBudget } from "../../support/memory-budget.ts";
import { answer, BUDGET, failureOf } from "./world.ts";

const POST = { method: "POST", issues: true };
const READ = { method: "GET" };

/** A runner over a budget in memory, with what it asks for. */
function runner(clock: Clock, store: SharedBudget, budget = BUDGET) {
  const asked: (readonly Draw[])[] = [];
  const noted: SharedBudget = {
    draw: (drawer, draws) => {
      asked.push(draws);
      return store.draw(drawer, draws);
    },
  };
  const share: Share = openShare({ budget: noted, drawer: { credential: new Secret("token"), runner: "one" }, clock });
  return { share, asked, governor: openGovernor({ budget, share, clock }) };
}

/** Another runner, which wants all certificates at once and says how many it gets. */
async function rest(store: SharedBudget): Promise<number> {
  const drawer = { credential: new Secret("token"), runner: "other" };
  const ask = { limit: "certificates", most: 15, windowMilliseconds: 60_000, held: 0, reported: 0, used: [] } as const;
  const [granted] = await store.draw(drawer, [{ ...ask, needed: 1, wanted: 15 }]);
  return granted?.places ?? 0;
}

describe("the share of a runner", () => {
  it("does not hand out places that were reserved for longer than they last", async () => {
    const clock = manualClock();
    const { governor } = runner(clock, memoryBudget(clock.now));
    const places = await governor.reserve({ calls: 2, issuances: 1 });
    places.take(READ)?.ended(true);
    await clock.sleep(BLOCK_LIFE_MILLISECONDS - 1);
    expect(places.isPaused()).toBe(false);
    await clock.sleep(1);
    expect(places.isPaused()).toBe(true);
    expect(places.take(POST)).toBeUndefined();
    places.giveBack();
    const again = await governor.reserve({ calls: 2, issuances: 1 });
    expect(again.take(POST)).toBeDefined();
  });

  it("does not trust a clock that was set back", async () => {
    let offset = 0;
    const real = manualClock();
    const clock: Clock = { now: () => real.now() + offset, sleep: real.sleep };
    const { governor } = runner(clock, memoryBudget(real.now));
    const places = await governor.reserve({ calls: 1, issuances: 0 });
    offset = -3_600_000;
    expect(places.isPaused()).toBe(true);
    expect(places.take(READ)).toBeUndefined();
  });

  it("gives unused places back with a later request", async () => {
    const clock = manualClock();
    const store = memoryBudget(clock.now);
    const { governor } = runner(clock, store, { ...BUDGET, apiShare: 0.005 });
    (await governor.permit(POST)).ended(true);
    expect(await rest(store)).toBe(12);
    await clock.sleep(30_000);
    for (let number = 0; number < 4; number += 1) (await governor.permit(READ)).ended(true);
    // Two of the three were not needed.
    expect(await rest(store)).toBe(14);
  });

  it("gives back at its end what it did not use", async () => {
    const clock = manualClock();
    const store = memoryBudget(clock.now);
    const { governor, share } = runner(clock, store);
    (await governor.permit(POST)).ended(true);
    (await governor.reserve({ calls: 1, issuances: 2 })).giveBack();
    await share.close();
    expect(await rest(store)).toBe(14);
  });

  it("asks for nothing before its first call, and then for both limits at once", async () => {
    const clock = manualClock();
    const { governor, share, asked } = runner(clock, memoryBudget(clock.now));
    await share.close();
    expect(asked).toEqual([]);
    (await governor.permit(READ)).ended(true);
    expect(asked.map((draws) => draws.map(({ limit, needed }) => [limit, needed]))).toEqual([
      [
        ["calls", 1],
        ["certificates", 0],
      ],
    ]);
  });

  it("begins with small blocks, so that a run that is killed early takes few places with it", async () => {
    const clock = manualClock();
    const { governor, asked } = runner(clock, memoryBudget(clock.now));
    for (let number = 0; number < 600; number += 1) (await governor.permit(READ)).ended(true);
    expect(asked.map(([calls]) => calls?.wanted)).toEqual([10, 20, 40, 80, 160, 240, 240]);
  });

  it("asks for nothing of a limit that the budget does not set", async () => {
    const clock = manualClock();
    const { governor, asked } = runner(clock, memoryBudget(clock.now), {
      ...BUDGET,
      apiShare: "unlimited",
      issuancePerMinute: "unlimited",
    });
    for (let number = 0; number < 100; number += 1) (await governor.permit(POST)).ended(true);
    expect(asked).toEqual([]);
  });

  it("uses the window that the service begins anew, and does not wait for its own", async () => {
    const clock = manualClock(1_000_000);
    const { governor } = runner(clock, memoryBudget(clock.now), { ...BUDGET, apiShare: 0.01 });
    const headers = (reset: number) => ({
      ratelimit: `"default";r=1195;t=${reset}`,
      "ratelimit-policy": '"default";q=1200;w=300',
    });
    const began = clock.now();
    for (let number = 0; number < 12; number += 1)
      (await governor.permit(READ)).ended(true, answer({}, {}, headers(40)));
    (await governor.permit(READ)).ended(true);
    expect((clock.now() - began) / 1000).toBeGreaterThanOrEqual(40);
    expect((clock.now() - began) / 1000).toBeLessThan(43);
  });

  it("stops when the store cannot be asked: at once for calls that come next, and it tries again after a minute", async () => {
    const clock = manualClock();
    const store = memoryBudget(clock.now);
    let isGone = true;
    const { governor, asked, share } = runner(clock, {
      draw: async (drawer, draws) => {
        if (isGone) throw new StateError({ code: "state-unreachable", message: "the state cannot be reached" });
        return store.draw(drawer, draws);
      },
    });
    for (let number = 0; number < 3; number += 1)
      expect(await failureOf(governor.permit(POST))).toMatchObject({ name: "UnreachableError", reason: "budget" });
    expect(asked).toHaveLength(1);
    isGone = false;
    await clock.sleep(60_000);
    (await governor.permit(POST)).ended(true);
    await share.close();
  });

  it("lets go of a call that is interrupted while the store is asked", async () => {
    const clock = manualClock();
    const never: SharedBudget = { draw: () => new Promise(() => undefined) };
    const { governor, share } = runner(clock, never);
    const stop = new AbortController();
    const waiting = failureOf(governor.permit(POST, stop.signal));
    stop.abort(new Error("interrupted"));
    expect(await waiting).toMatchObject({ message: "interrupted" });
    await share.close();
  });
});
