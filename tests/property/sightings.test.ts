import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lastSeen, laterThan, seenOf } from "../../lib/plan/seen.ts";
import { essence } from "../../lib/state/observations.ts";
import type { Observation } from "../../lib/state/observation.ts";
import type { StateObject } from "../../lib/state/state.ts";

const RUNS = process.env["ZONEFORM_FULL"] === "1" ? 10_000 : 200;
const START = Date.UTC(2026, 10, 21, 6);

/** What happens to one hostname: its status changes, somebody looks at it, or the record is condensed. */
const event = fc.oneof(
  fc.record({ is: fc.constantFrom("active", "moved", "pending", "blocked") }),
  fc.record({ looks: fc.constantFrom("apply", "drift") }),
  fc.record({ condenses: fc.constant(true) }),
);
type Event = { readonly is: string } | { readonly looks: string } | { readonly condenses: boolean };

function object(known: Pick<StateObject, "seen" | "observed">): StateObject {
  return { kind: "custom_hostname", key: "a.net", id: "1", applied: {}, ...known };
}

test("whoever looked last is believed, and nobody dates a status later than it was first seen", async () => {
  await fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.integer({ min: 1, max: 200_000 })), { maxLength: 40 }), (history) => {
      let now = START;
      let is = "active";
      let seen: StateObject["seen"];
      let observed: readonly Observation[] = [];
      /** The status that was seen last, and when a run of sightings of that status began. */
      let believed: { status: string; since: number } | undefined;
      for (const [what, passes] of history satisfies readonly (readonly [Event, number])[]) {
        now += passes * 1000;
        if ("is" in what) is = what.is;
        if ("condenses" in what) observed = essence(observed);
        if ("looks" in what) {
          const at = new Date(now).toISOString();
          if (what.looks === "apply") {
            const live = { id: "1", key: "a.net", values: {}, status: { status: is, ssl_status: "active" } };
            seen = seenOf(live, object({ ...(seen ? { seen } : {}), observed }), at).seen;
          } else {
            const known = lastSeen({ ...(seen ? { seen } : {}), observed });
            const isNews = known?.status !== is || (observed.length > 0 && observed.at(-1)?.status !== is);
            if (isNews) observed = [...observed, { id: "1", hostname: "a.net", status: is, at: laterThan(known, at) }];
          }
          if (believed?.status !== is) believed = { status: is, since: now };
        }
        const whole = lastSeen({ ...(seen ? { seen } : {}), observed });
        expect(lastSeen({ ...(seen ? { seen } : {}), observed: essence(observed) })).toEqual(whole);
        if (believed) {
          expect(whole?.status).toBe(believed.status);
          expect(Date.parse(whole?.at ?? "")).toBeLessThanOrEqual(believed.since);
        }
      }
    }),
    { numRuns: RUNS },
  );
});
