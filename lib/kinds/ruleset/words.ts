import { optionalObject, optionalText, texts } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { implies } from "./expressions.ts";
import { managedRulesetName } from "./managed.ts";
import { executedId, expressionOf } from "./roles.ts";

/** What a rule does, and to which requests: `skips every request past all remaining rules: "quick fix", expression true`. */
export function ruleWords(rule: JsonObject): string {
  const expression = expressionOf(rule);
  const description = optionalText(rule, "description") ?? "";
  const off = rule["enabled"] === false ? " (switched off)" : "";
  return `${ruleDoes(rule)}${off}: ${description === "" ? "" : `${quote(description)}, `}expression ${expression}`;
}

/** What a rule does, without saying which rule it is: `skips every request past all remaining rules`. */
export function ruleDoes(rule: JsonObject): string {
  const which = implies("true", expressionOf(rule)) ? "every request" : "requests";
  const action = optionalText(rule, "action") ?? "";
  const over = rule["ratelimit"] === undefined ? "" : " over a rate limit";
  if (action === "skip") return `skips ${which} past ${skipped(optionalObject(rule, "action_parameters") ?? {})}`;
  if (action === "execute") return `runs ${managedRulesetName(executedId(rule) ?? "")} on ${which}`;
  if (action.endsWith("challenge")) return `challenges ${which}${over}`;
  return /^[a-z]+$/.test(action) ? `${action}s ${which}${over}` : `does ${action} for ${which}`;
}

/** What a skip rule skips. */
function skipped(parameters: JsonObject): string {
  const [phases, products] = [texts(parameters, "phases"), texts(parameters, "products")];
  const rulesets = [...texts(parameters, "rulesets"), ...Object.keys(optionalObject(parameters, "rules") ?? {})];
  const isAll = parameters["ruleset"] !== undefined || parameters["phase"] !== undefined;
  const parts = [
    ...(isAll ? ["all remaining rules"] : []),
    ...(phases.length === 0 ? [] : [`the ${phases.length === 1 ? "phase" : "phases"} ${phases.join(", ")}`]),
    ...(products.length === 0 ? [] : [`the ${products.length === 1 ? "product" : "products"} ${products.join(", ")}`]),
    ...(rulesets.length === 0 ? [] : [`rules of ${rulesets.map(managedRulesetName).join(", ")}`]),
  ];
  return parts.join(" and ");
}
