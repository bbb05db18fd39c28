import { ServiceError } from "../messages.ts";
import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { ACTIONS, CUSTOM_RULES, isEntitled, MANAGED_PHASE } from "./catalogue.ts";

/** A refusal of the Rulesets API. It may point into the body, and often has no code (docs/service.md#envelope). */
export function rulesetError(message: string, pointer?: string, code?: number): ServiceError {
  return new ServiceError(400, {
    message,
    ...(code === undefined ? {} : { code }),
    ...(pointer === undefined ? {} : { pointer }),
  });
}

/** Reads and checks the `rules` of a ruleset. Throws a 400, also for more rules than the plan allows, and for a ref that is used twice. */
export function readRules(value: Json, zone: Zone, phase: string): JsonObject[] {
  if (!Array.isArray(value)) throw rulesetError("rules must be a list", "/rules");
  const most = phase === "http_request_firewall_custom" ? CUSTOM_RULES[zone.plan] : Infinity;
  if (value.length > most) throw rulesetError(`exceeded maximum number of rules: ${most}`, "/rules");
  const rules = value.map((rule, index) => readRule(rule, zone, phase, `/rules/${index}`));
  checkRefs(rules);
  return rules;
}

/** Refuses two rules with the same ref, because a ref is unique in its ruleset (docs/service.md#rules). */
export function checkRefs(rules: readonly JsonObject[]): void {
  const seen = new Set<Json>();
  for (const [index, rule] of rules.entries()) {
    const ref = rule["ref"];
    if (ref === undefined) continue;
    if (seen.has(ref)) throw rulesetError(`the ref ${JSON.stringify(ref)} is used twice`, `/rules/${index}/ref`);
    seen.add(ref);
  }
}

/** Reads one rule, which is at the pointer in the body. An empty id, version or ref counts as absent (docs/service.md#waf-migration). */
export function readRule(value: Json, zone: Zone, phase: string, pointer: string): JsonObject {
  if (!isObject(value)) throw rulesetError("a rule must be an object", pointer);
  const rule = copy(value);
  for (const name of ["id", "version", "ref"]) if (isUnset(rule[name])) delete rule[name];
  delete rule["last_updated"];
  delete rule["position"];
  const action = rule["action"];
  if (typeof action !== "string" || !ACTIONS.has(action)) throw invalidAction(action, pointer, "it is not known");
  if (phase === MANAGED_PHASE && action !== "execute" && action !== "skip")
    throw invalidAction(action, pointer, `it is not allowed in the phase ${phase}`);
  if (typeof rule["expression"] !== "string" || rule["expression"] === "")
    throw rulesetError("an expression is required", `${pointer}/expression`);
  checkText(rule, "ref", pointer);
  checkText(rule, "description", pointer);
  if (rule["enabled"] !== undefined && typeof rule["enabled"] !== "boolean")
    throw rulesetError("enabled must be true or false", `${pointer}/enabled`);
  checkParameters(rule, zone, pointer);
  return rule;
}

function checkParameters(rule: JsonObject, zone: Zone, pointer: string): void {
  const parameters = rule["action_parameters"];
  const at = `${pointer}/action_parameters`;
  if (parameters !== undefined && !isObject(parameters)) throw rulesetError("action_parameters must be an object", at);
  if (rule["action"] === "execute") return checkExecute(parameters ?? {}, zone, at);
  if (parameters?.["id"] !== undefined) throw rulesetError(`unknown field "id"`, `${at}/id`);
  if (rule["action"] === "skip" && Object.keys(parameters ?? {}).length === 0)
    throw rulesetError("a skip rule must say what it skips", at);
}

/** Throws 50002 if the zone's plan does not have the managed ruleset (docs/service.md#managed-rulesets). */
function checkExecute(parameters: JsonObject, zone: Zone, at: string): void {
  const id = parameters["id"];
  if (typeof id !== "string" || id === "") throw rulesetError("the id of a ruleset is required", `${at}/id`);
  const isManagedEntitled = isEntitled(id, zone.plan);
  if (isManagedEntitled === undefined && !zone.rulesets.has(id))
    throw rulesetError(`the ruleset ${id} does not exist`, `${at}/id`);
  if (isManagedEntitled === false)
    throw rulesetError(`not entitled to execute the managed ruleset ${id}`, `${at}/id`, 50002);
  checkOverrides(parameters["overrides"], `${at}/overrides`);
}

/** Refuses overrides without a property, and empty lists in them (docs/service.md#rules). */
function checkOverrides(overrides: Json | undefined, at: string): void {
  if (overrides === undefined || overrides === null) return;
  if (!isObject(overrides) || Object.keys(overrides).length === 0)
    throw rulesetError("overrides must have at least one property", at);
  for (const name of ["rules", "categories"]) {
    const list = overrides[name];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0) throw rulesetError(`${name} must not be empty`, `${at}/${name}`);
    list.forEach((override, index) =>
      checkOverride(override, name === "rules" ? "id" : "category", `${at}/${name}/${index}`),
    );
  }
}

function checkOverride(override: Json, key: string, at: string): void {
  if (!isObject(override) || typeof override[key] !== "string")
    throw rulesetError(`${key} is required`, `${at}/${key}`);
  if (Object.keys(override).length < 2) throw rulesetError("an override must change something", at);
}

function checkText(rule: JsonObject, name: string, pointer: string): void {
  const value = rule[name];
  if (value !== undefined && typeof value !== "string")
    throw rulesetError(`${name} must be a string`, `${pointer}/${name}`);
}

function invalidAction(action: Json | undefined, pointer: string, why: string): ServiceError {
  return rulesetError(`'${textOf(action)}' is not a valid value for action because ${why}`, `${pointer}/action`);
}

/** The value as an error message quotes it. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function isUnset(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}
