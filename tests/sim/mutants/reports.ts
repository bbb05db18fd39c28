import type { Mutant } from "./mutant.ts";

/** Mistakes in what a report says was written (R4). */
export const REPORTS: readonly Mutant[] = [
  {
    name: "overwritten-rules-called-left-alone",
    why: "the headline says that nothing was applied, although foreign rules were overwritten (R4)",
    file: "lib/apply/conflict.ts",
    find: `    hasWritten: "all",
`,
    replace: "",
  },
  {
    name: "headline-without-what-was-written",
    why: "the headline counts only what ended as done (R4)",
    file: "lib/report/run/report.ts",
    find: "if (ended.some(writtenOf)) return",
    replace: "if (ended.length === 0) return",
    caughtBy: {
      test: "tests/conformance/apply/evidence-of-writes.test.ts",
      title: "counts as written in the headline",
    },
  },
  {
    name: "overwriting-not-looked-for",
    why: "foreign rules are overwritten, and nobody is told (R4)",
    file: "lib/apply/settle.ts",
    find: "return lost ? { ...performed, outcome: overwrote(attempt, before, lost) } : performed;",
    replace:
      "return lost && before === after ? { ...performed, outcome: overwrote(attempt, before, lost) } : performed;",
  },
  {
    name: "half-replacement-called-left-alone",
    why: "the old object was deleted, its successor was refused, and the report says that nothing was written (R4)",
    file: "lib/apply/replace.ts",
    find: "diagnostic: halfReplaced(change, error), hasWritten: true }",
    replace: "diagnostic: halfReplaced(change, error) }",
    caughtBy: {
      test: "tests/conformance/apply/stale-plans.test.ts",
      title: "a replacement whose create fails says that the old one is gone",
    },
  },
  {
    name: "drift-blind-to-deletions",
    why: "a drift job says that nothing drifted although somebody deleted a hostname",
    file: "lib/plan/drift.ts",
    find: "if (!live) return prior ? judgeGone(input, subject, prior) : [];",
    replace: "if (!live) return [];",
  },
  {
    name: "drift-blind-to-rules",
    why: "a drift job says that nothing drifted although somebody removed or edited a rule of ours",
    file: "lib/plan/drift.ts",
    find: "const isDrifted = drifted.leaves.length + drifted.rules.length > 0;",
    replace: "const isDrifted = drifted.leaves.length > 0;",
  },
  {
    name: "drift-blind-to-values",
    why: "a drift job says that nothing drifted although somebody edited a value that we own",
    file: "lib/plan/drift.ts",
    find: "const isDrifted = drifted.leaves.length + drifted.rules.length > 0;",
    replace: "const isDrifted = drifted.rules.length > 0;",
  },
];
