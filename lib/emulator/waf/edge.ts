import { isObject, type Json, type JsonObject } from "../json.ts";
import { MANAGED_PHASE } from "../rulesets/catalogue.ts";
import { entryPoint } from "../rulesets/find.ts";
import { currentVersion } from "../rulesets/record.ts";
import type { Zone } from "../store.ts";
import { ruleFor } from "./page-rule-expressions.ts";
import { effectOf } from "./page-rules.ts";
import { hasPrevious } from "./record.ts";
import { runsNew, runsPrevious, statusView } from "./status.ts";

/**
 * What the edge does with managed rules, as the admin API shows it: which version runs, in order (the new one first:
 * docs/service.md#waf-migration), and for one URL what its page rule does. A page rule has no effect on the new managed rules
 * (docs/service.md#what-migrates).
 */
export function edgeView(zone: Zone, now: number, url: string | null): JsonObject {
  const pageRule = url === null ? undefined : ruleFor(zone.waf.pageRules, url);
  const effect = pageRule === undefined ? "none" : effectOf(pageRule);
  const isNew = runsNew(zone, now);
  return {
    ...statusView(zone, now),
    ready_to_update: zone.waf.migration.isReady,
    page_rule: pageRule?.id ?? null,
    runs: [...(isNew ? ["new"] : []), ...(runsPreviousFor(zone, effect) ? ["previous"] : [])],
    new_rules: isNew ? newRules(zone) : [],
  };
}

function runsPreviousFor(zone: Zone, effect: ReturnType<typeof effectOf>): boolean {
  const { waf } = zone;
  if (effect === "waf-on") return hasPrevious(waf);
  return effect === "none" && runsPrevious(waf);
}

/** The enabled rules of the entry point in order, so that skip rules can be seen before what they skip. */
function newRules(zone: Zone): Json[] {
  const present = entryPoint(zone, MANAGED_PHASE);
  const rules = present === undefined ? [] : currentVersion(present).rules;
  return rules
    .filter(({ enabled }) => enabled !== false)
    .map(({ action, expression, action_parameters: parameters }) => ({
      action: action ?? null,
      expression: expression ?? null,
      ruleset: isObject(parameters) ? (parameters["id"] ?? null) : null,
    }));
}
