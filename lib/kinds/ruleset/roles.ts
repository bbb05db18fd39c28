import { optionalObject, optionalText } from "../../core/decode.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { MANAGED_RULESETS } from "./managed.ts";

/**
 * What a rule does: it stops requests, lets them pass other rules, sets something up, does none of these, or is
 * unknown.
 */
export type Role = "stops" | "lets-past" | "sets-up" | "neither" | "unknown";

const ROLES: Readonly<Record<string, Role>> = {
  block: "stops",
  challenge: "stops",
  js_challenge: "stops",
  managed_challenge: "stops",
  force_connection_close: "stops",
  ddos_dynamic: "stops",
  execute: "stops",
  score: "stops",
  skip: "lets-past",
  allow: "lets-past",
  bypass: "lets-past",
  set_config: "sets-up",
  compress_response: "neither",
  log: "neither",
  log_custom_field: "neither",
  redirect: "neither",
  rewrite: "neither",
  route: "neither",
  serve_error: "neither",
  set_cache_control: "neither",
  set_cache_settings: "neither",
  set_cache_tags: "neither",
  transform_response_html: "neither",
};

/**
 * How hard an action is: it lets a request pass (0), challenges the visitor (1), or stops it (2). Challenges cannot be
 * compared with each other. Other actions depend on their parameters.
 */
const HARDNESS: Readonly<Record<string, number>> = {
  log: 0,
  challenge: 1,
  js_challenge: 1,
  managed_challenge: 1,
  block: 2,
  force_connection_close: 2,
};

/** The hardness of stopping a request for good. */
export const HARDEST = 2;

/** How hard an action is, or undefined if it cannot be compared. */
export function hardnessOf(action: string | undefined): number | undefined {
  return action !== undefined && Object.hasOwn(HARDNESS, action) ? HARDNESS[action] : undefined;
}

/** What a rule of a phase does. If the protection always runs, a rule that executes it only sets it up. */
export function roleOf(rule: JsonObject, phase: string): Role {
  const action = optionalText(rule, "action") ?? "";
  const role = (Object.hasOwn(ROLES, action) ? ROLES[action] : undefined) ?? "unknown";
  if (action === "execute" && runsByItself(rule, phase)) return "sets-up";
  return role === "neither" && isObject(rule["exposed_credential_check"]) ? "stops" : role;
}

/**
 * The phases of the DDoS protection, which runs in every zone, even without rules (docs/service.md#managed-rulesets).
 */
const BY_ITSELF: readonly string[] = ["ddos_l4", "ddos_l7"];

function runsByItself(rule: JsonObject, phase: string): boolean {
  return BY_ITSELF.includes(phase) || executedId(rule) === MANAGED_RULESETS["http_ddos"];
}

/** The id of the ruleset that a rule executes. */
export function executedId(rule: JsonObject): string | undefined {
  return optionalText(optionalObject(rule, "action_parameters") ?? {}, "id");
}

/** The expression of a rule; empty if it has none. */
export function expressionOf(rule: JsonObject): string {
  return optionalText(rule, "expression") ?? "";
}
