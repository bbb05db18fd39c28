import { expect, test } from "vitest";
import { reportsOf } from "../../cmd/reports.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { planText } from "../../lib/render/text.ts";
import { aChange, aLeaf, aPlan } from "../support/plans.ts";

test("there is no report for a comment of a pull request yet: it is refused by name, and nothing is written", () => {
  expect(() => reportsOf(["markdown=comment.md"])).toThrow(Refusal);
  expect(() => reportsOf(["html=plan.html"])).toThrow(Refusal);
});

test("a plan of 5,000 equal changes fits into a comment as it is: they are one line", () => {
  const changes = Array.from({ length: 5000 }, (_change, index) =>
    aChange(`h${index}.customer.net`, "update", {
      leaves: [aLeaf("ssl.certificate_authority", "lets_encrypt", "google")],
    }),
  );
  const text = planText(aPlan([changes]), { colour: false });
  expect(text).toContain("5,000");
  expect(text.length).toBeLessThan(65_536);
});
