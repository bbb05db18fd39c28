import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { Ended } from "../../../../lib/apply/outcome.ts";
import { CAUSES } from "../../../../lib/core/diff.ts";
import { explain } from "../../../../lib/engine/explain/explain.ts";
import { HAZARDS } from "../../../../lib/kinds/hazards.ts";
import { ACTIONS } from "../../../../lib/plan/change.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** Every way in which a change of a run can end. */
const RESULTS = {
  done: true,
  failed: true,
  held: true,
  conflict: true,
  refused: true,
  "not-started": true,
  unknown: true,
  unconfirmed: true,
} as const satisfies Record<Ended["outcome"]["status"], true>;

/** The first column of the glossary: `| managed, unmanaged | whether … |`. */
function glossary(): readonly string[] {
  const style = readFileSync(resolve(ROOT, "docs/style.md"), "utf8");
  const rows = style.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| word "));
  return rows.flatMap((row) => row.split("|")[1]?.split(",") ?? []).map((word) => word.trim());
}

test.each([
  ["actions", ACTIONS],
  ["causes", CAUSES],
  ["hazards", HAZARDS],
  ["results of a run", Object.keys(RESULTS)],
  ["words that reports count", ["adopted", "untracked", "foreign", "expired", "gone", "held", "unchanged"]],
])("explain knows all %s", (_name, words) => {
  for (const word of words) expect(explain(word)[0].cause, word).not.toBe("");
});

test("explain knows every word of the glossary", () => {
  const words = glossary();
  expect(words.length).toBeGreaterThan(30);
  for (const word of words) expect(explain(word).length, word).toBeGreaterThan(0);
});

test("a word is explained once as a word, in lower case and without a full stop", () => {
  for (const word of [...ACTIONS, ...CAUSES, ...HAZARDS, ...glossary()])
    for (const { cause, remedy } of explain(word)) {
      expect(cause, word).toMatch(/^[a-zA-Z].*[^.]$/);
      expect(remedy, word).toMatch(/[^.]$/);
      expect(cause.length, word).toBeLessThan(200);
    }
});
