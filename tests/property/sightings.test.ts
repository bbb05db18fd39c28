import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lastSeen, seenOf } from "../../lib/plan/seen.ts";
import { newSightings } from "../../lib/plan/sightings.ts";
import type { Live } from "../../lib/kinds/live.ts";
import { essence, type Observation, withObserved } from "../../lib/state/observations.ts";
import type { StateObject } from "../../lib/state/state.ts";
import { stateOf, ZONE } from "../support/state-world.ts";

const RUNS = process.env["ZONEFORM_FULL"] === "1" ? 10_000 : 200;
const START = Date.UTC(2026, 10, 21, 6);
const ADDRESS = 'custom_hostname["a.net"]';

/** An event of one hostname: its status changes, a run reads it, or the record is condensed. */
const event = fc.oneof(
  fc.record({ is: fc.constantFrom("active", "moved", "pending", "blocked") }),
  fc.record({ looks: fc.constantFrom("apply", "drift") }),
  fc.record({ condenses: fc.constant(true) }),
);

/** What is known about the hostname: what an apply remembers, and what other runs saw. */
interface Known {
  readonly seen?: StateObject["seen"];
  readonly observed: readonly Observation[];
}

function prior({ seen, observed }: Known): StateObject {
  return { kind: "custom_hostname", key: "a.net", id: "1", applied: {}, ...(seen ? { seen } : {}), observed };
}

function liveOf(status: string): Live {
  return { id: "1", key: "a.net", values: {}, status: { status, ssl_status: "active" } };
}

/** What a drift adds to the record. */
function seenByDrift(known: Known, status: string, serviceNow: string): readonly Observation[] {
  const observed = new Map([["1", known.observed]]);
  const state = withObserved(stateOf(0, { objects: new Map([[ADDRESS, prior(known)]]) }), observed);
  const objects = new Map([["custom_hostname" as const, new Map([["a.net", liveOf(status)]])]]);
  return newSightings({ state, observed, serviceNow, live: { id: ZONE, name: "saas.eu", objects } });
}

test("the last observation is believed, condensed or not, and no status is dated later than it was first seen", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.integer({ min: 1, max: 200_000 })), { maxLength: 40 }), (history) => {
      let [now, is] = [START, "active"];
      let known: Known = { observed: [] };
      /** The status that was seen last, and when it was first seen without another one in between. */
      let believed: { readonly status: string; readonly since: number } | undefined;
      for (const [what, seconds] of history) {
        now += seconds * 1000;
        const at = new Date(now).toISOString();
        if ("is" in what) is = what.is;
        else if ("condenses" in what) known = { ...known, observed: essence(known.observed) };
        else {
          if (what.looks === "apply") known = { ...known, ...seenOf(liveOf(is), prior(known), at) };
          else known = { ...known, observed: [...known.observed, ...seenByDrift(known, is, at)] };
          if (believed?.status !== is) believed = { status: is, since: now };
        }
        const found = lastSeen(prior(known));
        const { status, at: since } = found ?? { status: undefined, at: at };
        expect(lastSeen(prior({ ...known, observed: essence(known.observed) }))).toMatchObject(found ?? {});
        if (believed === undefined) continue;
        expect(status).toBe(believed.status);
        expect(Date.parse(since)).toBeLessThanOrEqual(believed.since);
      }
    }),
    { numRuns: RUNS },
  );
});
