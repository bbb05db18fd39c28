import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../lib/core/clock.ts";
import type { Budget } from "../../lib/core/rate-limits.ts";
import { Secret } from "../../lib/core/secret.ts";
import { ARRIVAL_MILLISECONDS, BLOCK_LIFE_MILLISECONDS, type SharedBudget } from "../../lib/core/shared-budget.ts";
import { UnreachableError } from "../../lib/service/errors.ts";
import { type Governor, openGovernor } from "../../lib/service/governor.ts";
import { openShare, type Share } from "../../lib/service/share.ts";
import { StateError } from "../../lib/state/error.ts";
import { manualClock } from "../support/clock.ts";
import { inFull } from "../support/full.ts";
import { memoryBudget } from "../support/memory-budget.ts";

const START = Date.UTC(2026, 10, 21, 6);
const MINUTE = 60_000;
/** Few enough that a handful of runners are in each other's way: 12 calls in 5 minutes, 4 certificates a minute. */
const BUDGET: Budget = { apiShare: 0.01, issuancePerMinute: 4, issuanceReserve: 0, countsPatches: true };
const LIMITS = [
  { isCounted: () => true, most: 12, windowMilliseconds: 5 * MINUTE },
  { isCounted: ({ issues }: Seen) => issues, most: 4, windowMilliseconds: MINUTE },
];
/** After this, nothing of a runner that is gone counts any more. */
const GONE_MILLISECONDS = BLOCK_LIFE_MILLISECONDS + ARRIVAL_MILLISECONDS + 5 * MINUTE;

const LONGEST_MILLISECONDS = 24 * 60 * MINUTE;

/** One call of a runner. */
interface Call {
  readonly gapMilliseconds: number;
  readonly latencyMilliseconds: number;
  /** When, within the latency, the service counts the call. */
  readonly arrival: number;
  readonly issues: boolean;
  readonly succeeds: boolean;
}

/** A process that applies. */
interface Runner {
  readonly calls: readonly Call[];
  readonly startMilliseconds: number;
  /** How far its clock is off. */
  readonly skewMilliseconds: number;
  /** After how many begun calls it is killed; absent if it lives. */
  readonly killedAfter: number | undefined;
  /** Which of its requests to the store get no answer, though they take effect. */
  readonly lostAnswers: readonly number[];
  readonly storeMilliseconds: number;
}

interface Seen {
  readonly at: number;
  readonly issues: boolean;
}

const call: fc.Arbitrary<Call> = fc.record({
  gapMilliseconds: fc.oneof(fc.constant(0), fc.nat(20_000), fc.constantFrom(59_999, 60_000, 61_000, 130_000)),
  latencyMilliseconds: fc.oneof(fc.constant(0), fc.nat(3000), fc.nat(ARRIVAL_MILLISECONDS)),
  arrival: fc.double({ min: 0, max: 1, noNaN: true }),
  issues: fc.boolean(),
  succeeds: fc.boolean(),
});

const runners: fc.Arbitrary<readonly Runner[]> = fc.array(
  fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 14 }),
    startMilliseconds: fc.oneof(fc.constant(0), fc.nat(200_000)),
    skewMilliseconds: fc.integer({ min: -3_600_000, max: 3_600_000 }),
    killedAfter: fc.option(fc.nat(10), { nil: undefined }),
    lostAnswers: fc.array(fc.nat(12), { maxLength: 3 }),
    storeMilliseconds: fc.oneof(fc.constant(0), fc.nat(3000)),
  }),
  { minLength: 1, maxLength: 4 },
);

function open(budget: SharedBudget, clock: Clock, runner: string): { governor: Governor; share: Share } {
  const share = openShare({ budget, drawer: { credential: new Secret("token"), runner }, clock });
  return { share, governor: openGovernor({ budget: BUDGET, share, clock }) };
}

/** Plays the calls of a runner, each as soon as it may begin, and notes when the service counts them. */
async function play(runner: Runner, name: string, store: SharedBudget, clock: Clock, seen: Seen[]): Promise<void> {
  const own: Clock = { now: () => clock.now() + runner.skewMilliseconds, sleep: clock.sleep };
  const { killedAfter = Infinity, calls: all } = runner;
  const isToBeKilled = killedAfter < all.length;
  let begun = 0;
  const isKilled = (): boolean => isToBeKilled && begun >= killedAfter;
  let asked = 0;
  const distant: SharedBudget = {
    draw: async (drawer, draws) => {
      if (isKilled()) await new Promise<never>(() => undefined);
      await clock.sleep(runner.storeMilliseconds);
      const granted = await store.draw(drawer, draws);
      asked += 1;
      if (runner.lostAnswers.includes(asked))
        throw new StateError({ code: "state-unreachable", message: "the answer was lost" });
      await clock.sleep(runner.storeMilliseconds);
      return granted;
    },
  };
  const { governor, share } = open(distant, own, name);
  const make = async ({ issues, latencyMilliseconds, arrival, succeeds }: Call): Promise<void> => {
    for (;;) {
      if (clock.now() > START + LONGEST_MILLISECONDS) throw new Error("a runner gets no turn");
      try {
        const permit = await governor.permit({ method: "POST", issues });
        if (isKilled()) return;
        begun += 1;
        const before = Math.floor(latencyMilliseconds * arrival);
        await clock.sleep(before);
        // What a killed process has sent arrives all the same.
        seen.push({ at: clock.now(), issues: issues && succeeds });
        await clock.sleep(latencyMilliseconds - before);
        if (!isKilled()) permit.ended(succeeds);
        return;
      } catch (thrown) {
        if (!(thrown instanceof UnreachableError)) throw thrown;
        await clock.sleep(MINUTE);
      }
    }
  };

  await clock.sleep(runner.startMilliseconds);
  const calls: Promise<void>[] = [];
  for (const each of all) {
    await clock.sleep(each.gapMilliseconds);
    if (isKilled()) return;
    calls.push(make(each));
  }
  // A killed process waits for nothing, and nobody waits for it.
  if (isToBeKilled) return;
  await Promise.all(calls);
  await share.close();
}

/** How many of the calls that a limit counts were in its fullest window. */
function fullest(seen: readonly Seen[], { isCounted, windowMilliseconds }: (typeof LIMITS)[number]): number {
  const times = seen.filter(isCounted).map(({ at }) => at);
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMilliseconds).length));
}

describe("runners that share a budget", () => {
  test("never exceed a limit in any window, whoever is killed, and all that live get their turn", async () => {
    await fc.assert(
      fc.asyncProperty(runners, async (all) => {
        const clock = manualClock(START);
        const store = memoryBudget(() => clock.now());
        const seen: Seen[] = [];
        await Promise.all(all.map((runner, index) => play(runner, `runner-${index}`, store, clock, seen)));
        for (const limit of LIMITS) expect(fullest(seen, limit)).toBeLessThanOrEqual(limit.most);
        const asked = all.flatMap(({ calls }) => calls);
        const gaps = asked.reduce((sum, each) => sum + each.gapMilliseconds + each.latencyMilliseconds, 0);
        // Twice the time that one runner would need for all, and for each what it keeps if it is killed, and its waits after a lost answer.
        const windows = Math.ceil(asked.length / 12) * 5 + Math.ceil(asked.length / 4);
        const longest = 2 * windows * MINUTE + gaps + 200_000 + all.length * (GONE_MILLISECONDS + 3 * MINUTE);
        expect(clock.now() - START).toBeLessThan(longest);
      }),
      { numRuns: inFull(2000, 60) },
    );
  });

  test("one that is alone is as fast as without others, and asks for blocks, not for each call", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 40 }), async (calls) => {
        const took = async (isShared: boolean): Promise<{ milliseconds: number; draws: number }> => {
          const clock = manualClock(START);
          const store = memoryBudget(() => clock.now());
          let draws = 0;
          const counted: SharedBudget = {
            draw: (drawer, wanted) => {
              draws += 1;
              return store.draw(drawer, wanted);
            },
          };
          const governor = isShared ? open(counted, clock, "alone").governor : openGovernor({ budget: BUDGET, clock });
          for (const { issues, latencyMilliseconds } of calls) {
            const permit = await governor.permit({ method: "POST", issues });
            await clock.sleep(latencyMilliseconds);
            permit.ended(true);
          }
          return { milliseconds: clock.now() - START, draws };
        };
        const [alone, shared] = [await took(false), await took(true)];
        expect(shared.milliseconds).toBeLessThanOrEqual(alone.milliseconds * 1.02 + 3000);
        expect(shared.draws).toBeLessThan(2 * calls.length + shared.milliseconds / 10_000);
      }),
      { numRuns: inFull(500, 20) },
    );
  });

  test("a burst of 600 calls needs ten requests to the store at most", async () => {
    const clock = manualClock(START);
    const store = memoryBudget(() => clock.now());
    let draws = 0;
    const budget: SharedBudget = {
      draw: (drawer, wanted) => {
        draws += 1;
        return store.draw(drawer, wanted);
      },
    };
    const share = openShare({ budget, drawer: { credential: new Secret("token"), runner: "one" }, clock });
    const governor = openGovernor({ budget: { ...BUDGET, apiShare: 0.5 }, share, clock });
    for (let number = 0; number < 600; number += 1) (await governor.permit({ method: "GET" })).ended(true);
    expect(clock.now()).toBe(START);
    expect(draws).toBeLessThanOrEqual(10);
  });

  test("one that needs several places at once is not starved by others that need one each", async () => {
    const clock = manualClock(START);
    const store = memoryBudget(() => clock.now());
    const greedy = Array.from({ length: 3 }, (_none, index) => open(store, clock, `greedy-${index}`).governor);
    const served = new AbortController();
    const eat = async (governor: Governor): Promise<void> => {
      while (!served.signal.aborted && clock.now() < START + 60 * MINUTE) {
        const permit = await governor.permit({ method: "POST", issues: true });
        await clock.sleep(500);
        permit.ended(true);
      }
    };
    const eating = greedy.map(eat);
    await clock.sleep(MINUTE);
    const places = await open(store, clock, "modest").governor.reserve({ calls: 4, issuances: 4 });
    served.abort();
    places.giveBack();
    expect(clock.now() - START).toBeLessThan(15 * MINUTE);
    await Promise.all(eating);
  });
});
