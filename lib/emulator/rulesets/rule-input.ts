import { asText, copy, isObject, type Json, type JsonObject } from "../json.ts";
import { isAction, parametersOf, RATE_LIMIT, RATE_LIMIT_PHASE } from "./actions.ts";
import { CUSTOM_RULES } from "./catalogue.ts";
import { checkExpressions } from "./expressions.ts";
import { isEntitled } from "./managed.ts";
import { checkOverrides } from "./overrides.ts";
import type { Owner } from "./owner.ts";
import { anything, flag, invalidValue, object, rulesetError, text } from "./shape.ts";

/** Reads and checks the `rules` of a ruleset. Throws a 400, also for more rules than the plan allows, and for a ref that is used twice. */
export function readRules(value: Json, owner: Owner, phase: string): JsonObject[] {
  if (!Array.isArray(value)) throw rulesetError("rules must be a list", "/rules");
  const most = phase === "http_request_firewall_custom" ? CUSTOM_RULES[owner.plan] : Infinity;
  if (value.length > most) throw rulesetError(`exceeded maximum number of rules: ${most}`, "/rules");
  const rules = value.map((rule, index) => readRule(rule, owner, phase, `/rules/${index}`));
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

const credentials = text(Infinity, 0);

/** What every rule may have. Its action and phase decide what its parameters look like. */
const RULE = object(
  {
    id: text(),
    version: text(),
    ref: text(),
    action: text(Infinity, 0),
    action_parameters: anything,
    description: text(500, 0),
    enabled: flag,
    exposed_credential_check: object(
      { username_expression: credentials, password_expression: credentials },
      { all: ["username_expression", "password_expression"] },
    ),
    expression: text(Infinity, 0),
    logging: object({ enabled: flag }, { all: ["enabled"] }),
    ratelimit: RATE_LIMIT,
  },
  { all: ["action", "expression"] },
);

/** Reads one rule, which is at the pointer in the body. An empty id, version or ref counts as absent (docs/service.md#waf-migration). */
export function readRule(value: Json, owner: Owner, phase: string, pointer: string): JsonObject {
  if (!isObject(value)) throw rulesetError("a rule must be an object", pointer);
  const rule = copy(value);
  for (const name of ["id", "version", "ref"]) if (isUnset(rule[name])) delete rule[name];
  delete rule["last_updated"];
  delete rule["position"];
  RULE(rule, pointer);
  const action = asText(rule["action"]);
  if (!isAction(action, phase))
    throw invalidValue(action, `${pointer}/action`, `it is not allowed in the phase ${phase}`);
  checkParameters(rule, action, owner, phase, pointer);
  checkRateLimit(rule, action, phase, pointer);
  checkExpressions(rule, { lists: owner.lists, phase }, pointer);
  return rule;
}

function checkParameters(rule: JsonObject, action: string, owner: Owner, phase: string, pointer: string): void {
  const parameters = rule["action_parameters"];
  const at = `${pointer}/action_parameters`;
  const { shape, required } = parametersOf(action, phase);
  if (parameters !== undefined) shape(parameters, at);
  else if (required) throw rulesetError(`the action ${action} needs action_parameters`, at);
  if (action === "execute" && isObject(parameters)) checkExecute(parameters, owner, at);
  if (action === "skip" && isObject(parameters) && "ruleset" in parameters && "rulesets" in parameters)
    throw rulesetError("ruleset and rulesets exclude each other", at);
}

/** Throws 50002 if the zone's plan does not have the managed ruleset (docs/service.md#managed-rulesets). */
function checkExecute(parameters: JsonObject, { plan, rulesets, shared }: Owner, at: string): void {
  const id = asText(parameters["id"]);
  const isManagedEntitled = isEntitled(id, plan);
  const custom = new Map([...rulesets, ...shared.map((ruleset) => [ruleset.id, ruleset] as const)]);
  if (isManagedEntitled === undefined && !custom.has(id))
    throw rulesetError(`the ruleset ${id} does not exist`, `${at}/id`);
  if (isManagedEntitled === false)
    throw rulesetError(`not entitled to execute the managed ruleset ${id}`, `${at}/id`, 50002);
  const overrides = parameters["overrides"];
  if (overrides !== undefined && overrides !== null) checkOverrides(overrides, id, custom, `${at}/overrides`);
}

/** Only rules of one phase count requests. There each rule does, unless it leaves that to other rules (docs/service.md#rules). */
function checkRateLimit(rule: JsonObject, action: string, phase: string, pointer: string): void {
  const at = `${pointer}/ratelimit`;
  const isMissing = rule["ratelimit"] === undefined;
  if (phase !== RATE_LIMIT_PHASE && !isMissing)
    throw rulesetError(`ratelimit is not allowed in the phase ${phase}`, at);
  if (phase === RATE_LIMIT_PHASE && isMissing && action !== "execute" && action !== "skip")
    throw rulesetError("ratelimit is required", at);
}

function isUnset(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}
