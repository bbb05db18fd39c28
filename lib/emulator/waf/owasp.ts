import type { JsonObject } from "../json.ts";
import type { ActionMode, Sensitivity, Waf } from "./record.ts";

/** The new OWASP ruleset, which is based on the core rule set 3.x (docs/service.md#managed-rulesets). */
export const OWASP_RULESET = "4814384a9e5d4991b9815dcfc25d2f1f";

/** The rule of the new OWASP ruleset that decides by the score (docs/service.md#managed-rulesets). */
const THRESHOLD_RULE = "6179ae15870a4bb7b2d480d4843b323c";

/** The highest paranoia level of the new OWASP ruleset. */
const HIGHEST_LEVEL = 4;

/** How strict the new OWASP ruleset is. */
interface Strictness {
  /** Rules of a higher paranoia level are off. */
  readonly level: number;
  /** A request with this score or a higher one is acted on. */
  readonly threshold: number;
}

/** The table of docs/service.md#what-migrates. `off` has no row: PL2, which the migration sets anyway, and the threshold that goes with it. */
const TABLE: Readonly<Record<Sensitivity | "default", Strictness>> = {
  high: { level: 2, threshold: 40 },
  medium: { level: 1, threshold: 25 },
  low: { level: 1, threshold: 40 },
  default: { level: 2, threshold: 40 },
  off: { level: 2, threshold: 40 },
};

/** Old action to new (docs/service.md#what-migrates): almost directly, simulate is log. */
const ACTIONS: Readonly<Record<ActionMode, string>> = { simulate: "log", block: "block", challenge: "challenge" };

/** The overrides of the new OWASP ruleset that are equal to the package's sensitivity and action. Its group and rule overrides are lost. */
export function owaspOverrides({ sensitivity, actionMode }: Waf): JsonObject {
  const { level, threshold } = TABLE[sensitivity ?? "default"];
  const above = Array.from({ length: HIGHEST_LEVEL - level }, (_, index) => level + 1 + index);
  return {
    categories: above.map((higher) => ({ category: `paranoia-level-${higher}`, enabled: false })),
    rules: [{ id: THRESHOLD_RULE, action: ACTIONS[actionMode], score_threshold: threshold }],
  };
}
