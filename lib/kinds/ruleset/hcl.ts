import { isList, isObject, type Json, type JsonObject, valueAt, withValueAt } from "../../core/json.ts";
import type { HclResource } from "../hcl.ts";

/** The entry point as the provider's resource. */
export const HCL: HclResource = {
  type: "cloudflare_ruleset",
  importId: ({ zone, id }) => `zones/${zone.id}/${id}`,
  attributes: ({ zone, key, values: { name = "default", rules = [], ...others } }) => [
    ["zone_id", zone.id],
    ["name", name],
    ["kind", "zone"],
    ["phase", key],
    ...Object.entries(others),
    ["rules", isList(rules) ? rules.filter(isObject).map(ruleOf) : rules],
  ],
};

/** Every attribute that the provider has for a rule: first what it is, then how it works. */
const RULE = [
  "ref",
  "description",
  "action",
  "expression",
  "enabled",
  "action_parameters",
  "ratelimit",
  "exposed_credential_check",
  "logging",
];

function ruleOf(rule: JsonObject): JsonObject {
  const kept = RULE.flatMap((field) => {
    const value = rule[field];
    if (value === undefined || (field === "description" && value === "")) return [];
    return [[field, isObject(value) && field === "action_parameters" ? parametersOf(value) : value] as const];
  });
  return Object.fromEntries(kept);
}

/**
 * The parameters in the provider's form. It has no versions of managed rulesets, writes `max-age` as `max_age`, and has
 * an object where the API has a list of query string names.
 */
function parametersOf({ version: _version, ...parameters }: JsonObject): JsonObject {
  const named = Object.entries(parameters).map(([name, value]) => [name.replaceAll("-", "_"), value] as const);
  return ["include", "exclude"].reduce((shaped: JsonObject, side) => {
    const path = ["cache_key", "custom_key", "query_string", side];
    const names = valueAt(shaped, path);
    return isList(names) ? withValueAt(shaped, path, queryNames(side, names)) : shaped;
  }, Object.fromEntries(named));
}

function queryNames(side: string, names: readonly Json[]): JsonObject {
  return side === "include" && names.length === 1 && names[0] === "*" ? { all: true } : { list: names };
}
