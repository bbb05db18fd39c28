import * as fc from "fast-check";
import { expect, test } from "vitest";
import { thousands } from "../../lib/core/words.ts";
import { HAZARDS } from "../../lib/kinds/hazards.ts";
import type { Change, Plan } from "../../lib/plan/change.ts";
import { planMarkdown, planText } from "../../lib/report/plan.ts";
import { inFull } from "../support/full.ts";
import { aChange, aLeaf, aPlan, aRule } from "../support/plans.ts";

const LEAST = 4096;

/** A change whose name is one of its own; alike in kind, action, values and hazards with some others. */
const change = fc
  .record({
    action: fc.constantFrom("create", "update", "delete", "adopt"),
    value: fc.constantFrom("google", "lets_encrypt", "a value of its own"),
    hazards: fc.subarray([...HAZARDS]),
    isBlocked: fc.boolean(),
    hasRule: fc.boolean(),
    isWide: fc.boolean(),
  })
  .map(({ action, value, hazards, isBlocked, hasRule, isWide }) => (index: number): Change => {
    const name = `h${index}${isWide ? ".long-name".repeat(12) : ""}.example`;
    return aChange(name, action, {
      leaves: [aLeaf("custom_metadata.note", "old", value === "a value of its own" ? `${value}: ${index}` : value)],
      hazards,
      ...(hasRule ? { rules: [aRule("edit", `rule-${index}`, "t", { from: 1, to: 1 })] } : {}),
      ...(isBlocked
        ? { refused: { code: "protected", message: "it is protected", remedy: "set protect: false" } }
        : {}),
    });
  });

const plan = fc
  .array(fc.array(change, { maxLength: 40 }), { minLength: 1, maxLength: 3 })
  .map((zones): Plan => aPlan(zones.map((changes, zone) => changes.map((made, index) => made(zone * 1000 + index)))));

test("of any plan, a comment keeps to its budget and counts each hazard, and --full has every name", () => {
  fc.assert(
    fc.property(plan, fc.integer({ min: LEAST, max: 20_000 }), (given, budget) => {
      const comment = planMarkdown(given, { budget });
      expect(comment.length).toBeLessThanOrEqual(budget);
      const changes = given.zones.flatMap((zone) => zone.changes);
      const [title = ""] = /^### Hazards: .*$/m.exec(comment) ?? [];
      for (const hazard of HAZARDS) {
        const count = changes.filter(({ hazards }) => hazards.includes(hazard)).length;
        if (count > 0) expect(title).toMatch(new RegExp(`[ ]${thousands(count)} ${hazard}(?:,|$)`));
      }
      const full = planText(given, { colour: false, isFull: true });
      for (const { key } of changes) expect(full).toContain(key);
    }),
    { numRuns: inFull(10_000, 300) },
  );
});
