import type { Mutant } from "./mutant.ts";

/** Mistakes that the simulation once missed. */
export const SURVIVORS: readonly Mutant[] = [
  {
    name: "settings-not-compared-before-a-change",
    why: "an edit in the dashboard after the plan is overwritten: Total TLS, and the fallback origin",
    file: "lib/apply/compare.ts",
    find: "return equal(kind.guarded(live, leaves), change.expected);",
    replace: `const isSetting = kind.name === "total_tls" || kind.name === "fallback_origin";
  return isSetting || equal(kind.guarded(live, leaves), change.expected);`,
  },
  {
    name: "absence-of-packs-in-a-list-as-proof",
    why: "a certificate pack that a stale list does not show is ordered again",
    file: "lib/refresh/refresh.ts",
    find: "if (!kind.isListed) return listed;",
    replace: 'if (!kind.isListed || kind.replacement === "create-first") return listed;',
    caughtBy: { test: "tests/conformance/apply/lists-that-lag.test.ts", title: "does not order a missing pack again" },
  },
];
