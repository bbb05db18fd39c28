import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../lib/core/clock.ts";
import type { ApiRequest } from "../../../lib/service/client.ts";
import { type Governor, openGovernor } from "../../../lib/service/governor.ts";
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
  /** Where within the latency the service counts the call. */
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

/** Makes the calls as concurrently as their gaps let them, and gives when the service saw each. */
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

/** The most events in any stretch of the given length, both ends counted: every event is taken for the stretch's last. */
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
        const seen = await play(openGovernor({ budget, clock }), clock, script);
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

  it("lets the whole share go at once", async () => {
    const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, apiShare: 0.5 } });
    await Promise.all(Array.from({ length: 601 }, () => client.send(READ)));
    expect(sent.filter(({ at }) => at === 0)).toHaveLength(600);
    expect(sent[600]?.at).toBe(300_001);
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

  it("counts re-issuing PATCHes only when the budget says so", async () => {
    for (const [countsPatches, last] of [
      [true, 60_001],
      [false, 0],
    ] as const) {
      const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, countsPatches } });
      await Promise.all(Array.from({ length: 16 }, () => client.send({ ...CREATE, method: "PATCH" })));
      expect(sent.at(-1)?.at).toBe(last);
    }
  });

  it("does not hold up reads while certificates wait for their minute", async () => {
    const { client, sent } = clientOver(() => answer({}));
    const creates = Array.from({ length: 16 }, () => client.send(CREATE));
    await client.send(READ);
    expect(sent.find(({ method }) => method === "GET")?.at).toBe(0);
    await Promise.all(creates);
  });

  it("goes on in the order of asking", async () => {
    const { client, sent } = clientOver(() => answer({}), { budget: { ...BUDGET, apiShare: 0.0017 } });
    await Promise.all([1, 2, 3, 4, 5].map((n) => client.send({ ...READ, path: `/zones/${n}` })));
    expect(sent.map(({ url }) => url.at(-1))).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("waits for the reset when what is left is what the others need", async () => {
    const answers = (left: number): HttpResponse =>
      answer({}, {}, { ratelimit: `"default";r=${left};t=42`, "ratelimit-policy": '"default";q=1000;w=300' });
    const { client, sent } = clientOver((_request, index) => answers(402 - index), {
      budget: { ...BUDGET, apiShare: 0.6 },
    });
    for (let index = 0; index < 4; index += 1) await client.send(READ);
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 0, 42_000]);
  });

  it("says what it waits for, and until when", async () => {
    const { client, events } = clientOver(() => answer({}), { budget: { ...BUDGET, issuancePerMinute: 1 } });
    await Promise.all([client.send(CREATE), client.send(CREATE)]);
    const waiting: ServiceEvent = { type: "waiting", reason: "issuance-limit", untilMilliseconds: 60_001 };
    expect(events).toEqual([waiting]);
    expect(client.counts().waitedMilliseconds).toBe(60_001);
  });

  it("lets an aborted call out of the queue, and those behind it go on", async () => {
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

  it("passes over a call that was aborted in the middle of the queue", async () => {
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

  it("gives the place of an issuance back that was aborted while it waited for the calls' limit", async () => {
    const stop = new AbortController();
    const clock = manualClock();
    const budget = { ...BUDGET, apiShare: 0.001, issuancePerMinute: 1 };
    const governor = openGovernor({ budget, clock });
    (await governor.permit({ method: "GET" })).ended(true);
    const aborted = governor.permit({ method: "POST", issues: true }, stop.signal);
    await clock.sleep(1000);
    stop.abort(new Error("interrupted"));
    await failureOf(aborted);
    await governor.permit({ method: "POST", issues: true });
    expect(clock.now()).toBe(300_001);
  });

  it("lets 20,000 calls that wait through without growing slower", async () => {
    const { client, clock, sent } = clientOver(() => answer({}));
    // About a second; what grows with the square of so many calls takes far more.
    const sending = (): Promise<unknown> => Promise.all(Array.from({ length: 20_000 }, () => client.send(READ)));
    const [, seconds] = await onProcessor(sending);
    expect(sent).toHaveLength(20_000);
    expect(clock.now()).toBe(16 * 300_001);
    expect(seconds).toBeLessThan(60);
  });

  it("does not wait longer than a window when the clock is set back", async () => {
    let [offset, inner] = [0, manualClock(10_000_000)];
    const clock: Clock = { now: () => inner.now() + offset, sleep: (delay, signal) => inner.sleep(delay, signal) };
    const governor = openGovernor({ budget: { ...BUDGET, apiShare: 0.001 }, clock });
    (await governor.permit({ method: "GET" })).ended(true);
    offset = -5_000_000;
    await governor.permit({ method: "GET" });
    expect(inner.now()).toBe(10_300_001);
  });
});
