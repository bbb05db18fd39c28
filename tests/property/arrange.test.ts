import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrange } from "../../lib/kinds/ruleset/arrange.ts";

const ref = fc.integer({ min: 0, max: 30 }).map((number) => `r${number}`);
const refs = fc.uniqueArray(ref, { maxLength: 20 });

describe("arrange", () => {
  it("inserts one rule at the top of 200 and moves none", () => {
    const live = Array.from({ length: 200 }, (_value, index) => `rule-${index}`);
    const { order, inserted, moved, removed } = arrange(live, ["new", ...live], () => true, "last");
    expect(order).toEqual(["new", ...live]);
    expect([inserted.size, moved.size, removed.size]).toEqual([1, 0, 0]);
  });

  it("swaps two rules with one move", () => {
    const { order, moved } = arrange(["a", "b", "c"], ["b", "a", "c"], () => true, "last");
    expect(order).toEqual(["b", "a", "c"]);
    expect(moved.size).toBe(1);
  });

  it("gives the wanted rules in order, keeps foreign rules in live order, and needs only one pass", () => {
    fc.assert(
      fc.property(refs, refs, fc.constantFrom("first" as const, "last" as const), (live, wanted, place) => {
        const isForeign = (name: string): boolean => !wanted.includes(name) && Number(name.slice(1)) % 2 === 0;
        const { order } = arrange(live, wanted, (name) => !isForeign(name), place);
        expect(order.filter((name) => wanted.includes(name))).toEqual(wanted);
        expect(order.filter((name) => !wanted.includes(name))).toEqual(live.filter(isForeign));
        const again = arrange(order, wanted, (name) => !isForeign(name), place);
        expect(again.order).toEqual(order);
        expect([again.inserted.size, again.moved.size, again.removed.size]).toEqual([0, 0, 0]);
      }),
      { numRuns: 2000 },
    );
  });

  it("moves no more rules than an editor did", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(ref, { minLength: 2, maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 6 }),
        (live, edits) => {
          const wanted = [...live];
          for (const [from, to] of edits) {
            const [taken] = wanted.splice(from % wanted.length, 1);
            if (taken !== undefined) wanted.splice(to % (wanted.length + 1), 0, taken);
          }
          expect(arrange(live, wanted, () => true, "last").moved.size).toBeLessThanOrEqual(edits.length);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
