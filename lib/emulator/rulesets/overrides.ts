import { isObject, type Json, type JsonObject } from "../json.ts";
import { managedRulesets, overrideActions } from "./managed.ts";
import { currentVersion, type Ruleset } from "./ruleset.ts";
import { choice, flag, integer, invalidValue, list, object, rulesetError, type Shape, text } from "./shape.ts";

const CHANGES = { action: text(), enabled: flag, sensitivity_level: choice("default", "medium", "low", "eoff") };

/** What overrides look like, with the shapes of a category and of the id of a rule. */
function overridesOf(category: Shape, rule: Shape): Shape {
  const names = Object.keys(CHANGES);
  const byCategory = object({ ...CHANGES, category }, { all: ["category"], some: names });
  const byRule = object(
    { ...CHANGES, id: rule, score_threshold: integer() },
    { all: ["id"], some: [...names, "score_threshold"] },
  );
  const members = { ...CHANGES, categories: list(byCategory), rules: list(byRule) };
  return object(members, { some: Object.keys(members) });
}

/**
 * Checks the overrides of a ruleset that is executed: their form, and against the rules of the ruleset, what they name
 * (docs/service.md#rules). Throws a 400. The wording of what they name wrongly is made up.
 */
export function checkOverrides(overrides: Json, id: string, own: ReadonlyMap<string, Ruleset>, pointer: string): void {
  const ruleset = managedRulesets().find((managed) => managed.id === id) ?? own.get(id);
  const rules = ruleset === undefined ? [] : currentVersion(ruleset).rules;
  const categories = new Set(rules.flatMap(({ categories: named }) => (Array.isArray(named) ? named : [])));
  const ids = new Set(rules.map((rule) => rule["id"]));
  const known = (names: ReadonlySet<Json | undefined>, what: string): Shape => {
    return (value, at) => {
      text()(value, at);
      if (!names.has(value)) throw invalidValue(value, at, `the ruleset ${id} has no such ${what}`);
    };
  };
  overridesOf(known(categories, "category"), known(ids, "rule"))(overrides, pointer);
  if (!isObject(overrides)) return;
  checkChanges(overrides, id, rules, pointer);
  for (const name of ["categories", "rules"]) {
    const each = overrides[name];
    if (!Array.isArray(each)) continue;
    each.forEach((override, index) => {
      if (isObject(override)) checkChanges(override, id, rules, `${pointer}/${name}/${index}`);
    });
  }
}

/** Checks what an override sets, which depends on the ruleset, and for a threshold on the rule. */
function checkChanges(override: JsonObject, id: string, rules: readonly JsonObject[], pointer: string): void {
  const { action, sensitivity_level: level, score_threshold: threshold } = override;
  const actions = overrideActions(id);
  if (action !== undefined && actions !== undefined) choice(...actions)(action, `${pointer}/action`);
  const isFlood = actions?.includes("ddos_dynamic") === true;
  if (level !== undefined && !isFlood)
    throw rulesetError(`the ruleset ${id} has no sensitivity`, `${pointer}/sensitivity_level`);
  const hasThreshold = rules.some((rule) => rule["id"] === override["id"] && rule["score_threshold"] !== undefined);
  if (threshold !== undefined && !hasThreshold)
    throw rulesetError("the rule has no score threshold", `${pointer}/score_threshold`);
}
