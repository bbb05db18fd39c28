import { equal } from "../../core/json.ts";
import { counted } from "../../core/words.ts";
import { both, type ObjectHazard } from "../hazards.ts";
import type { Step } from "../traits/judged.ts";
import { rulesByRef } from "./arrange.ts";
import { weakens } from "./weakens.ts";

/** The hazards of a step: rules that were never ours are lost, or our rules let more through. */
export function hazards(step: Step): readonly ObjectHazard[] {
  const lost = step.rules.filter(({ action, foreign }) => foreign && action === "remove").map(({ ref }) => ref);
  const words = both(` loses ${counted(lost.length, "foreign rule")}`);
  const losing = lost.length === 0 ? [] : [{ hazard: "loses-foreign-rule", rules: lost, words } as const];
  return [...losing, ...weaker(step)];
}

/** `weakens-protection` at the rules that let more through alone; at all rules that change, if none does. */
function weaker({ action, key, from, to, rules }: Step): readonly ObjectHazard[] {
  if (to === undefined || equal(from, to) || !weakens(from, to, key)) return [];
  if (action === "delete")
    return [
      {
        hazard: "weakens-protection",
        words: { one: " no longer protects anything", many: " no longer protect anything" },
      },
    ];
  const [before, after] = [rulesByRef(from), rulesByRef(to)];
  const isAlone = (ref: string): boolean => {
    const [was, now] = [before.get(ref), after.get(ref)];
    if (was === undefined) return SOFT.has(now?.["action"]);
    const isOff = now === undefined || (was["enabled"] !== false && now["enabled"] === false);
    return isOff || weakens({ rules: [was] }, { rules: [now] }, key);
  };
  const refs = action === "create" ? [...after.keys()] : [...new Set(rules.map(({ ref }) => ref))];
  const alone = refs.filter(isAlone);
  return [{ hazard: "weakens-protection", rules: alone.length === 0 ? refs : alone }];
}

/** Actions of a new rule that let requests past, or only log them. */
const SOFT: ReadonlySet<unknown> = new Set(["skip", "log", "set_config", "rewrite", "route"]);
