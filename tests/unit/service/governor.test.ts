import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../lib/core/clock.ts";
import type { ApiRequest } from "../../../lib/service/client.ts";
import { undividedBudget } from "../../../lib/core/rate-limits.ts";
import { createRequestLimiter } from "../../../lib/emulator/limits.ts";
import { Governor } from "../../../lib/service/governor.ts";
import type { HttpResponse } from "../../../lib/service/http.ts";
import type { ServiceEvent } from "../../../lib/service/service-event.ts";
import { manualClock } from "../../support/clock.ts";
import { onProcessor } from "../../support/processor.ts";
import { answer, BUDGET, clientOver, failureOf, refusal } from "./world.ts";

const READ: ApiRequest = { method: "GET", path: "/zones/z", family: "zones" };
const CREATE: ApiRequest = {
  method: "POST",
  path: "/zones/z/custom_hostnames",
  family: "custom_hostnames",
  issues: true,
};

interface Call {
  readonly gapMilliseconds: number;
  readonly latencyMilliseconds: number;
  /** When, within the latency, the service counts the call. */
  readonly arrival: number;
  readonly issues: boolean;
  readonly succeeds: boolean;
}

interface Seen {
  readonly at: number;
  readonly counts: boolean;
}

const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    gapMilliseconds: fc.oneof(fc.constant(0), fc.nat(20_000), fc.constantFrom(60_000, 299_999, 300_000)),
    latencyMilliseconds: fc.oneof(fc.constant(0), fc.nat(40_000)),
    arrival: fc.double({ min: 0, max: 1, noNaN: true }),
    issues: fc.boolean(),
    succeeds: fc.boolean(),
  }),
  { maxLength: 60 },
);

/** Makes the calls as concurrently as their gaps allow, and returns when the service saw each one. */
async function play(
  governor: Governor,
  clock: Clock,
  script: readonly Call[],
): Promise<(Seen & { issues: boolean })[]> {
  const seen: (Seen & { issues: boolean })[] = [];
  const one = async (call: Call): Promise<void> => {
    const permit = await governor.permit({ method: "POST", issues: call.issues });
    const before = Math.floor(call.latencyMilliseconds * call.arrival);
    await clock.sleep(before);
    seen.push({ at: clock.now(), issues: call.issues, counts: call.succeeds });
    await clock.sleep(call.latencyMilliseconds - before);
    permit.ended(call.succeeds);
  };
  const running: Promise<void>[] = [];
  for (const call of script) {
    if (call.gapMilliseconds > 0) await clock.sleep(call.gapMilliseconds);
    running.push(one(call));
  }
  await Promise.all(running);
  return seen;
}

/** The most events in any window of the given length, both ends included: it tries every event as the last of a window. */
function mostIn(events: readonly Seen[], lengthMilliseconds: number): number {
  const within = (last: Seen): number =>
    events.filter(({ at }) => at <= last.at && at >= last.at - lengthMilliseconds).length;
  return Math.max(0, ...events.map(within));
}

describe("the governor", () => {
  it("never lets more through than the limits, in any window, however late calls arrive", async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (script) => {
        const clock = manualClock();
        const budget = { apiShare: 0.01, issuancePerMinute: 5, issuanceReserve: 2, countsPatches: true };
        const seen = await play(new Governor({ budget, clock }), clock, script);
        expect(seen).toHaveLength(script.length);
        expect(mostIn(seen, 300_000)).toBeLessThanOrEqual(12);
        expect(
          mostIn(
            seen.filter(({ issues, counts }) => issues && counts),
            60_000,
          ),
        ).toBeLessThanOrEqual(3);
      }),
      { numRuns: 150 },
    );
  });

  it("sends the whole share at once", async () => {
    const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, apiShare: 0.5 } });
    await Promise.all(Array.from({ length: 601 }, () => client.send(READ)));
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(600);
    expect(sent[600]?.at).toBe(300_001);
  });

  it("sends only the part of one of several runners, of calls and of certificates", async () => {
    const budget = { ...BUDGET, apiShare: 0.5, runners: 4 };
    const reads = clientOver(() => answer({}), { budget });
    await Promise.all(Array.from({ length: 151 }, () => reads.client.send(READ)));
    expect(reads.sent.filter(({ at }) => at === 0)).toHaveLength(150);
    const creates = clientOver(() => answer({}), { budget });
    await Promise.all(Array.from({ length: 4 }, () => creates.client.send(CREATE)));
    expect(creates.sent.map(({ at }) => at)).toEqual([0, 0, 0, 60_001]);
  });

  it("lets a job that only reads use what is not divided, until the service says that only the others' is left", async () => {
    const budget = undividedBudget({ ...BUDGET, apiShare: 0.5, runners: 4 });
    const headers = { ratelimit: '"default";r=600;t=120', "ratelimit-policy": '"default";q=1200;w=300' };
    const { client, sent } = clientOver((_request, index) => answer({}, {}, index === 199 ? headers : {}), { budget });
    for (let index = 0; index < 201; index += 1) await client.send(READ);
    expect(sent[199]?.at).toBe(0);
    expect(sent[200]?.at).toBeGreaterThanOrEqual(120_000);
  });

  it("never sends a 16th issuance in a minute, and sends 15 at once", async () => {
    const { client, sent } = clientOver(() => answer({}));
    await Promise.all(Array.from({ length: 50 }, () => client.send(CREATE)));
    expect(
      mostIn(
        sent.map(({ at }) => ({ at, counts: true })),
        60_000,
      ),
    ).toBe(15);
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(15);
  });

  it("leaves the reserve to others", async () => {
    const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, issuanceReserve: 5 } });
    await Promise.all(Array.from({ length: 11 }, () => client.send(CREATE)));
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(10);
  });

  it("does not count an issuance that was refused", async () => {
    const { client, sent } = clientOver((_request, index) => (index < 15 ? refusal(409, 1406) : answer({})));
    for (let index = 0; index < 15; index += 1) await failureOf(client.send(CREATE));
    for (let index = 0; index < 15; index += 1) await client.send(CREATE);
    expect(sent.at(-1)?.at).toBe(0);
  });

  it("counts an issuance whose answer was lost", async () => {
    const { client, sent } = clientOver((_request, index) => (index < 15 ? refusal(500, 1500) : answer({})));
    for (let index = 0; index < 15; index += 1) await failureOf(client.send(CREATE));
    await client.send(CREATE);
    expect(sent.at(-1)?.at).toBe(60_001);
  });

  it("counts reissuing PATCHes only if the budget says so", async () => {
    for (const [countsPatches, last] of [
      [true, 60_001],
      [false, 0],
    ] as const) {
      const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, countsPatches } });
      await Promise.all(Array.from({ length: 16 }, () => client.send({ ...CREATE, method: "PATCH" })));
      expect(sent.at(-1)?.at).toBe(last);
    }
  });

  it("does not delay reads while certificates wait for their minute", async () => {
    const { client, sent } = clientOver(() => answer({}));
    const creates = Array.from({ length: 16 }, () => client.send(CREATE));
    await client.send(READ);
    expect(sent.find(({ method }) => method === "GET")?.at).toBe(0);
    await Promise.all(creates);
  });

  it("continues in the order of the requests", async () => {
    const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, apiShare: 0.0017 } });
    await Promise.all([1, 2, 3, 4, 5].map((n) => client.send({ ...READ, path: `/zones/${n}` })));
    expect(sent.map(({ url }) => url.at(-1))).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("waits for the reset when others need what is left", async () => {
    const answers = (left: number): HttpResponse =>
      answer({}, {}, { ratelimit: `"default";r=${left};t=42`, "ratelimit-policy": '"default";q=1000;w=300' });
    const { client, sent } = clientOver((_request, index) => answers(402 - index), {
      budget: { ...BUDGET, apiShare: 0.6 },
    });
    for (let index = 0; index < 4; index += 1) await client.send(READ);
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 0, 42_000]);
  });

  it.each(["unlimited", 1] as const)("keeps back what the calls under way will use up (api: %s)", async (apiShare) => {
    const [clock, headers] = [
      manualClock(),
      { ratelimit: '"default";r=5;t=42', "ratelimit-policy": '"default";q=1200;w=300' },
    ];
    const governor = new Governor({ budget: { ...BUDGET, apiShare }, clock });
    const permits = await Promise.all(Array.from({ length: 8 }, () => governor.permit({ method: "GET" })));
    // Seven are under way when this answer says that five are left.
    permits[0]?.ended(true, answer({}, {}, headers));
    await governor.permit({ method: "GET" });
    expect(clock.now()).toBeGreaterThanOrEqual(42_000);
  });

  it("reports what it waits for, and until when", async () => {
    const { client, events } = clientOver(() => answer({}), { budget: { ...BUDGET, issuancePerMinute: 1 } });
    await Promise.all([client.send(CREATE), client.send(CREATE)]);
    const waiting: ServiceEvent = { type: "waiting", reason: "issuance-limit", untilMilliseconds: 60_001 };
    expect(events).toEqual([waiting]);
    expect(client.counts().waitedMilliseconds).toBe(60_001);
  });

  it("removes an aborted call from the queue, and the calls behind it continue", async () => {
    const stop = new AbortController();
    const { client, clock, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, issuancePerMinute: 1 } });
    const [first, second, third] = [undefined, stop.signal, undefined].map((signal) => client.send(CREATE, signal));
    await first;
    await clock.sleep(10_000);
    stop.abort(new Error("interrupted"));
    expect(await failureOf(Promise.resolve(second))).toEqual(new Error("interrupted"));
    await third;
    expect(sent.map(({ at }) => at)).toEqual([0, 60_001]);
  });

  it("skips a call that was aborted in the middle of the queue", async () => {
    const stop = new AbortController();
    const { client, clock, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, issuancePerMinute: 1 } });
    const signals = [undefined, undefined, stop.signal, undefined];
    const [first, second, third, fourth] = signals.map((signal) => client.send(CREATE, signal));
    await first;
    stop.abort(new Error("interrupted"));
    expect(await failureOf(Promise.resolve(third))).toEqual(new Error("interrupted"));
    await Promise.all([second, fourth]);
    expect(sent.map(({ at }) => at)).toEqual([0, 60_001, 120_002]);
    expect(clock.now()).toBe(120_002);
  });

  it("gives back the place of an issuance that was aborted while it waited for the calls' limit", async () => {
    const stop = new AbortController();
    const clock = manualClock();
    const budget = { ...BUDGET, apiShare: 0.001, issuancePerMinute: 1 };
    const governor = new Governor({ budget, clock });
    (await governor.permit({ method: "GET" })).ended(true);
    const aborted = governor.permit({ method: "POST", issues: true }, stop.signal);
    await clock.sleep(1000);
    stop.abort(new Error("interrupted"));
    await failureOf(aborted);
    await governor.permit({ method: "POST", issues: true });
    expect(clock.now()).toBe(300_001);
  });

  it("lets 20,000 waiting calls through in linear time", async () => {
    const { client, clock, sent } = clientOver(() => answer({}));
    // About a second; quadratic growth would take far longer.
    const sending = (): Promise<unknown> => Promise.all(Array.from({ length: 20_000 }, () => client.send(READ)));
    const [, seconds] = await onProcessor(sending);
    expect(sent).toHaveLength(20_000);
    expect(clock.now()).toBe(16 * 300_001);
    expect(seconds).toBeLessThan(60);
  });

  it("does not wait longer than a window when the clock is set back", async () => {
    let [offset, inner] = [0, manualClock(10_000_000)];
    const clock: Clock = { now: () => inner.now() + offset, sleep: (delay, signal) => inner.sleep(delay, signal) };
    const governor = new Governor({ budget: { ...BUDGET, apiShare: 0.001 }, clock });
    (await governor.permit({ method: "GET" })).ended(true);
    offset = -5_000_000;
    await governor.permit({ method: "GET" });
    expect(inner.now()).toBe(10_300_001);
  });
});

describe("the headers of the service's limit", () => {
  const headers = (
    remaining: number,
    seconds: number,
    quota: number,
    window = 300,
  ): Readonly<Record<string, string>> => ({
    ratelimit: `"default";r=${remaining};t=${seconds}`,
    "ratelimit-policy": `"burst";q=${quota};w=${window}`,
  });

  it("allow our share of a quota that is larger than the published one", async () => {
    const { client, sent } = clientOver((_request, index) => answer({}, {}, headers(5999 - index, 300, 6000)), {
      budget: { ...BUDGET, apiShare: 0.5 },
    });
    await client.send(READ);
    await Promise.all(Array.from({ length: 3000 }, () => client.send(READ)));
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(3000);
  });

  it("allow our share of a quota that is smaller", async () => {
    const { client, sent } = clientOver((_request, index) => answer({}, {}, headers(99 - (index % 50), 60, 100, 60)), {
      budget: { ...BUDGET, apiShare: 0.5 },
    });
    for (let index = 0; index < 60; index += 1) await client.send(READ);
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(50);
    expect(sent.at(-1)?.at).toBe(60_000);
  });

  it("end our wait when the service's window restarts", async () => {
    const clock = manualClock();
    const secondsLeft = (): number => Math.ceil((100_000 - clock.now()) / 1000);
    const { client, sent } = clientOver(
      (_request, index) =>
        answer({}, {}, clock.now() < 100_000 ? headers(1199 - index, secondsLeft(), 1200) : headers(1199, 300, 1200)),
      { budget: { ...BUDGET, apiShare: 0.1 }, clock },
    );
    await Promise.all(Array.from({ length: 121 }, () => client.send(READ)));
    expect(sent[119]?.at).toBe(0);
    expect(sent[120]?.at).toBe(100_000);
  });

  it("delay a run without a limit of its own when nothing is left", async () => {
    const { client, sent } = clientOver(
      (_request, index) => answer({}, {}, headers(index < 5000 ? 4999 - index : 10_000, 30, 10_000)),
      { budget: { ...BUDGET, apiShare: "unlimited" } },
    );
    for (let index = 0; index < 5002; index += 1) await client.send(READ);
    expect(sent[4999]?.at).toBe(0);
    expect(sent[5001]?.at).toBe(30_000);
  });

  it("end a wait for more calls than they ever allow", async () => {
    const clock = manualClock();
    const governor = new Governor({ budget: { ...BUDGET, apiShare: 0.1 }, clock });
    const held = await governor.reserve({ calls: 100, issuances: 0 });
    const waiting = governor.reserve({ calls: 50, issuances: 0 });
    held.take({ method: "GET" })?.ended(true, answer({}, {}, headers(399, 300, 400)));
    expect(await failureOf(waiting)).toMatchObject({
      diagnostics: [
        {
          code: "empty-budget",
          message: "budget.api allows 40 of Cloudflare's 400 calls at once, and one change needs 50",
        },
      ],
    });
  });

  it("never let us take more than our share of any window of the service", async () => {
    const bursts = fc.array(fc.record({ gapMilliseconds: fc.nat(90_000), ours: fc.nat(30) }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(bursts, fc.constantFrom(0.1, 0.5, 1), async (script, apiShare) => {
        const clock = manualClock();
        const limiter = createRequestLimiter();
        const limit = { requests: 60, windowSeconds: 120 };
        let window = { endsAt: 0, ours: 0 };
        const http = (isOurs: boolean): HttpResponse => {
          const { remaining, resetSeconds, refused } = limiter.count("user", limit, clock.now());
          if (clock.now() >= window.endsAt) window = { endsAt: clock.now() + 120_000, ours: 0 };
          if (isOurs) window.ours += 1;
          expect(refused).toBe(false);
          // Nobody knows the quota before the first answer; the published one is larger than this.
          expect(window.ours).toBeLessThanOrEqual(Math.max(1, Math.floor(apiShare * 60)));
          return answer({}, {}, headers(remaining, resetSeconds, 60, 120));
        };
        const { client } = clientOver(() => http(true), { budget: { ...BUDGET, apiShare }, clock });
        await client.send(READ);
        for (const { gapMilliseconds, ours } of script) {
          await clock.sleep(gapMilliseconds);
          await Promise.all(Array.from({ length: ours }, () => client.send(READ)));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("a block of certificates", () => {
  it("clears the minute: when it is over, the whole budget is available", async () => {
    const { client, sent } = clientOver((_request, index) => (index === 12 ? refusal(429, 1) : answer({})));
    for (let index = 0; index < 12; index += 1) await client.send(CREATE);
    await Promise.all(Array.from({ length: 15 }, () => client.send(CREATE)));
    expect(sent.at(-1)?.at).toBe(30_000);
  });
});

describe("a budget without a limit", () => {
  it("sends everything at once", async () => {
    const budget = { ...BUDGET, apiShare: "unlimited", issuancePerMinute: "unlimited" } as const;
    const { client, clock } = clientOver(() => answer({}), { budget });
    await Promise.all(Array.from({ length: 5000 }, () => client.send(CREATE)));
    expect(clock.now()).toBe(0);
  });
});
