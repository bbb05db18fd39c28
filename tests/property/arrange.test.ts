import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrange } from "../../lib/kinds/ruleset/arrange.ts";

const ref = fc.integer({ min: 0, max: 30 }).map((number) => `r${number}`);
const refs = fc.uniqueArray(ref, { maxLength: 20 });
const never = (): boolean => false;

/** The length of the longest sequence that both have in this order. */
function longestCommon(left: readonly string[], right: readonly string[]): number {
  let row = right.map(() => 0);
  for (const each of left) {
    const above = row;
    row = [];
    right.forEach((other, at) => {
      const both = each === other ? (above[at - 1] ?? 0) + 1 : 0;
      row.push(Math.max(both, above[at] ?? 0, row[at - 1] ?? 0));
    });
  }
  return row.at(-1) ?? 0;
}

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

  it("moves a rule of ours back that stands behind a foreign one, and neither of those that it passes", () => {
    const { order, moved, displaced } = arrange(["managed", "foreign", "skip"], ["skip", "managed"], never, "first");
    expect(order).toEqual(["skip", "managed", "foreign"]);
    expect([[...moved], [...displaced]]).toEqual([["skip"], []]);
  });

  it.each([
    ["first", ["foreign", "ours"]],
    ["last", ["ours", "foreign"]],
  ] as const)("moves ours past one foreign rule, and not the foreign rule past ours: %s", (place, live) => {
    const { moved, displaced } = arrange(live, ["ours"], never, place);
    expect([[...moved], [...displaced]]).toEqual([["ours"], []]);
  });

  it("tells one foreign rule that came ahead of all of ours in one move", () => {
    const { moved, displaced } = arrange(["foreign", "a", "b", "c"], ["a", "b", "c"], never, "first");
    expect([[...moved], [...displaced]]).toEqual([[], ["foreign"]]);
  });

  it("shows a script that gives the order, and none that is shorter does", () => {
    fc.assert(
      fc.property(refs, refs, fc.constantFrom("first" as const, "last" as const), (live, wanted, place) => {
        const { order, moved, displaced } = arrange(live, wanted, never, place);
        const isStill = (name: string): boolean => !moved.has(name) && !displaced.has(name);
        const target = order.filter((name) => live.includes(name));
        expect(live.filter(isStill)).toEqual(target.filter(isStill));
        expect(moved.size + displaced.size).toBe(live.length - longestCommon(live, target));
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
