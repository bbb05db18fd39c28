import { describe, expect, it } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { Governor } from "../../../lib/service/governor.ts";
import type { GovernedCall, Needs, Places } from "../../../lib/service/places.ts";
import { manualClock } from "../../support/clock.ts";
import { answer, BUDGET, failureOf, refusal } from "./world.ts";

const READ: GovernedCall = { method: "GET" };
const CREATE: GovernedCall = { method: "POST", issues: true };

/** A governor of this many calls in 5 minutes and certificates a minute. */
function governed(calls: number, issuances = 15) {
  const clock = manualClock();
  const budget = { ...BUDGET, apiShare: calls / 1200, issuancePerMinute: issuances };
  return { clock, governor: new Governor({ budget, clock }) };
}

/** Makes this many of the calls at once, each successful. */
function use(places: Places, call: GovernedCall, count: number): void {
  for (let made = 0; made < count; made += 1) places.take(call)?.ended(true, answer({}));
}

function needs(calls: number, issuances = 0): Needs {
  return { calls, issuances };
}

describe("a reservation", () => {
  it("has exactly the places that were asked for", async () => {
    const places = await governed(10, 5).governor.reserve(needs(3, 1));
    expect(places.take(CREATE)).toBeDefined();
    expect(places.take(CREATE)).toBeUndefined();
    expect(places.take(READ)).toBeDefined();
    expect(places.take(READ)).toBeDefined();
    expect(places.take(READ)).toBeUndefined();
  });

  it.each([
    [true, "waits for"],
    [false, "does not wait for"],
  ])("with count_patches %s %s the certificate that an edit orders", async (countsPatches) => {
    const clock = manualClock();
    const governor = new Governor({ budget: { ...BUDGET, issuancePerMinute: 1, countsPatches }, clock });
    use(await governor.reserve(needs(1, 1)), CREATE, 1);
    const began = clock.now();
    const places = await governor.reserve({ calls: 2, issuances: 0, reissues: 1 });
    expect(clock.now() - began >= 60_000).toBe(countsPatches);
    expect(places.take({ method: "PATCH", issues: true })).toBeDefined();
  });

  it("has no places any more once they are given back", async () => {
    const places = await governed(10).governor.reserve(needs(3));
    places.giveBack();
    expect(places.take(READ)).toBeUndefined();
  });

  it("uses only an API place for a call that does not count as an issuance", async () => {
    const { clock } = governed(10);
    const governor = new Governor({ budget: { ...BUDGET, issuancePerMinute: 1, countsPatches: false }, clock });
    const places = await governor.reserve(needs(2, 1));
    expect(places.take({ method: "PATCH", issues: true })).toBeDefined();
    expect(places.take(CREATE)).toBeDefined();
  });

  it("waits until all of its places are free at once, and takes none before", async () => {
    const { clock, governor } = governed(10);
    use(await governor.reserve(needs(4)), READ, 4);
    await clock.sleep(100_000);
    use(await governor.reserve(needs(6)), READ, 6);
    const places = await governor.reserve(needs(7));
    // The first 4 leave the window at 300,001, 3 of the others only at 400,001.
    expect(clock.now()).toBe(400_001);
    expect(places.isPaused()).toBe(false);
  });

  it("waits for its turn: a small one does not overtake a large one", async () => {
    const { governor } = governed(10);
    const order: string[] = [];
    const held = await governor.reserve(needs(5));
    const large = async (): Promise<void> => {
      const places = await governor.reserve(needs(7));
      order.push("large");
      places.giveBack();
    };
    const small = async (): Promise<void> => {
      const permit = await governor.permit(READ);
      order.push("small");
      permit.ended(true);
    };
    const both = [large(), small()];
    held.giveBack();
    await Promise.all(both);
    expect(order).toEqual(["large", "small"]);
  });

  it("never deadlocks: of two that need 7 in a window of 10, one goes after the other", async () => {
    const { clock, governor } = governed(10);
    const times = await Promise.all(
      [1, 2].map(async () => {
        const places = await governor.reserve(needs(7));
        const began = clock.now();
        await clock.sleep(1000);
        use(places, READ, 7);
        return began;
      }),
    );
    expect(times).toEqual([0, 301_001]);
  });

  it("holds its certificates while it waits for calls", async () => {
    const { clock, governor } = governed(2, 1);
    use(await governor.reserve(needs(2)), READ, 2);
    const first = governor.reserve(needs(1, 1));
    const second = governor.reserve(needs(1, 1));
    use(await first, CREATE, 1);
    expect(clock.now()).toBe(300_001);
    await second;
    expect(clock.now()).toBe(360_002);
  });

  it("lets callers without certificates pass while it waits for one", async () => {
    const { clock, governor } = governed(10, 1);
    use(await governor.reserve(needs(1, 1)), CREATE, 1);
    const waiting = governor.reserve(needs(1, 1));
    await governor.permit(READ);
    expect(clock.now()).toBe(0);
    await waiting;
    expect(clock.now()).toBe(60_001);
  });

  it("wakes the next one when it gives its places back, and gives them back only once", async () => {
    const { clock, governor } = governed(10, 10);
    const held = await governor.reserve(needs(7, 7));
    use(held, CREATE, 3);
    const next = governor.reserve(needs(7, 7));
    const last = governor.reserve(needs(7, 7));
    held.giveBack();
    held.giveBack();
    const places = await next;
    expect(clock.now()).toBe(0);
    use(places, CREATE, 7);
    await last;
    expect(clock.now()).toBe(300_001);
  });

  it("gives everything back when it is aborted while it waits for calls", async () => {
    const { clock, governor } = governed(5, 5);
    const held = await governor.reserve(needs(5));
    const stop = new AbortController();
    const aborted = governor.reserve(needs(5, 5), stop.signal);
    await clock.sleep(1000);
    stop.abort(new Error("interrupted"));
    expect(await failureOf(aborted)).toEqual(new Error("interrupted"));
    held.giveBack();
    await governor.reserve(needs(5, 5));
    expect(clock.now()).toBe(1000);
  });

  it("notices a pause that began later: the refusal of another call", async () => {
    const { clock, governor } = governed(10);
    const places = await governor.reserve(needs(2));
    expect(places.isPaused()).toBe(false);
    const other = await governor.permit(READ);
    other.refused(refusal(429, 10_100, "no", { "retry-after": "2" }), true);
    expect(places.isPaused()).toBe(true);
    await clock.sleep(5000);
    expect(places.isPaused()).toBe(true);
    places.giveBack();
    expect((await governor.reserve(needs(2))).isPaused()).toBe(false);
  });

  it("keeps its places when headers say that nothing more is left for us", async () => {
    const { governor } = governed(600);
    const places = await governor.reserve(needs(2));
    const other = await governor.permit(READ);
    const headers = { ratelimit: '"default";r=600;t=42', "ratelimit-policy": '"default";q=1200;w=300' };
    other.ended(true, answer({}, {}, headers));
    expect(places.isPaused()).toBe(false);
  });

  it("cares about a block of certificates only if it holds some", async () => {
    const { governor } = governed(10);
    const [without, withOne] = [await governor.reserve(needs(2)), await governor.reserve(needs(2, 1))];
    (await governor.permit(CREATE)).refused(refusal(429, 1), false);
    expect([without.isPaused(), withOne.isPaused()]).toEqual([false, true]);
  });

  it("is refused at once if the budget can never fit it, and the refusal says what to write", async () => {
    const { clock, governor } = governed(10, 5);
    const tooManyCalls = await failureOf(governor.reserve(needs(11)));
    expect(tooManyCalls).toBeInstanceOf(Refusal);
    expect(tooManyCalls).toMatchObject({
      diagnostics: [
        {
          code: "empty-budget",
          message: "budget.api allows 10 of Cloudflare's 1200 calls at once, and one change needs 11",
          remedy: "set budget.api to 1% or more, or to unlimited",
        },
      ],
    });
    expect(await failureOf(governor.reserve(needs(6, 6)))).toMatchObject({
      diagnostics: [
        {
          code: "empty-budget",
          message: "budget.issuance allows 5 certificates a minute, and one change needs 6 at once",
        },
      ],
    });
    expect(clock.now()).toBe(0);
  });

  it.each([1, 2, 7, 32])("ends at any parallelism if each one fits: %i", async (parallelism) => {
    const { governor } = governed(7, 3);
    let left = 60;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const places = await governor.reserve(needs(7, left % 4));
        use(places, CREATE, left % 4);
        use(places, READ, left % 3);
        places.giveBack();
      }
    };
    await Promise.all(Array.from({ length: parallelism }, worker));
    expect(left).toBeLessThanOrEqual(0);
  });
});
