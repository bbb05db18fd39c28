import { optionalText } from "../../core/decode.ts";
import { isObject, type JsonObject, leaves, withValueAt } from "../../core/json.ts";

/** An action of rules (docs/service.md#rules). */
export interface Action {
  readonly parameters: readonly string[];
  /** Of each group, a rule has at least one. */
  readonly needs?: readonly (readonly string[])[];
  /** Of each pair, a rule has at most one. */
  readonly exclusive?: readonly (readonly [string, string])[];
}

const NO_PARAMETERS: Action = { parameters: [] };

const SKIPPED = ["ruleset", "rulesets", "rules", "phases", "phase", "products"];

const LOGGED = [
  "request_fields",
  "transformed_request_fields",
  "raw_response_fields",
  "response_fields",
  "cookie_fields",
];

const CACHE_SETTINGS = [
  "additional_cacheable_ports",
  "browser_ttl",
  "cache",
  "cache_key",
  "cache_reserve",
  "edge_ttl",
  "origin_cache_control",
  "origin_error_page_passthru",
  "origin_range_requests",
  "read_timeout",
  "respect_strong_etags",
  "serve_stale",
  "shared_dictionary",
  "strip_etags",
  "strip_last_modified",
  "strip_set_cookie",
  "vary",
];

const DIRECTIVES = [
  "immutable",
  "max-age",
  "must-revalidate",
  "must-understand",
  "no-cache",
  "no-store",
  "no-transform",
  "private",
  "proxy-revalidate",
  "public",
  "s-maxage",
  "stale-if-error",
  "stale-while-revalidate",
];

const CONFIGURATION = [
  "automatic_https_rewrites",
  "autominify",
  "bic",
  "content_converter",
  "disable_apps",
  "disable_pay_per_crawl",
  "disable_railgun",
  "disable_rum",
  "disable_zaraz",
  "email_obfuscation",
  "fonts",
  "hotlink_protection",
  "mirage",
  "opportunistic_encryption",
  "polish",
  "redirects_for_ai_training",
  "request_body_buffering",
  "response_body_buffering",
  "rocket_loader",
  "security_level",
  "server_side_excludes",
  "ssl",
  "sxg",
  "webmcp_enabled",
  "webmcp_packs",
];

/** The actions, with their parameters as the schema has them. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  block: { parameters: ["response"] },
  challenge: NO_PARAMETERS,
  compress_response: { parameters: ["algorithms"], needs: [["algorithms"]] },
  ddos_dynamic: NO_PARAMETERS,
  execute: { parameters: ["id", "version", "overrides", "matched_data"], needs: [["id"]] },
  force_connection_close: NO_PARAMETERS,
  js_challenge: NO_PARAMETERS,
  log: NO_PARAMETERS,
  log_custom_field: { parameters: LOGGED, needs: [LOGGED] },
  managed_challenge: NO_PARAMETERS,
  redirect: {
    parameters: ["from_value", "from_list"],
    needs: [["from_value", "from_list"]],
    exclusive: [["from_value", "from_list"]],
  },
  rewrite: { parameters: ["uri", "headers"], needs: [["uri", "headers"]] },
  route: { parameters: ["host_header", "origin", "sni"], needs: [["host_header", "origin", "sni"]] },
  score: { parameters: ["increment"], needs: [["increment"]] },
  serve_error: {
    parameters: ["content", "asset_name", "content_type", "status_code"],
    needs: [["content", "asset_name"]],
    exclusive: [["content", "asset_name"]],
  },
  set_cache_control: { parameters: DIRECTIVES, needs: [DIRECTIVES] },
  set_cache_settings: { parameters: CACHE_SETTINGS, needs: [CACHE_SETTINGS] },
  set_cache_tags: {
    parameters: ["operation", "values", "expression"],
    needs: [["operation"], ["values", "expression"]],
    exclusive: [["values", "expression"]],
  },
  set_config: { parameters: CONFIGURATION, needs: [CONFIGURATION] },
  skip: {
    parameters: SKIPPED,
    needs: [SKIPPED],
    exclusive: [
      ["ruleset", "rulesets"],
      ["ruleset", "rules"],
      ["rulesets", "phases"],
      // The rest of the phase includes the rest of the ruleset, so only products go with it.
      ["phase", "ruleset"],
      ["phase", "rulesets"],
      ["phase", "rules"],
      ["phase", "phases"],
    ],
  },
  transform_response_html: { parameters: ["link_maze"], needs: [["link_maze"]] },
};

const FIREWALL = ["block", "challenge", "execute", "js_challenge", "log", "managed_challenge", "skip"];

/**
 * The actions of each phase, as the pages of the products document them. Of `http_request_sbfm` they say nothing, and
 * some actions are in no entry point.
 */
export const PHASES: Readonly<Record<string, readonly string[]>> = {
  ddos_l4: ["execute"],
  ddos_l7: ["execute"],
  http_config_settings: ["set_config"],
  http_custom_errors: ["serve_error"],
  http_log_custom_fields: ["log_custom_field"],
  http_ratelimit: FIREWALL,
  http_request_cache_settings: ["set_cache_settings"],
  http_request_dynamic_redirect: ["redirect"],
  http_request_firewall_custom: [...FIREWALL, "rewrite"],
  http_request_firewall_managed: ["execute", "skip"],
  http_request_late_transform: ["rewrite"],
  http_request_origin: ["route"],
  http_request_redirect: ["redirect"],
  http_request_sanitize: ["execute"],
  http_request_transform: ["rewrite"],
  http_response_cache_settings: ["set_cache_control", "set_cache_settings", "set_cache_tags"],
  http_response_compression: ["compress_response"],
  http_response_firewall_managed: ["execute", "skip"],
  http_response_headers_transform: ["rewrite"],
};

/** The only phase whose rules count requests. */
export const RATE_LIMITS = "http_ratelimit";

/** The phases of what only some phases of an action have. */
export const ONLY_IN: Readonly<Record<string, string>> = {
  from_list: "http_request_redirect",
  from_value: "http_request_dynamic_redirect",
  phase: "http_request_firewall_custom",
  ratelimit: RATE_LIMITS,
  uri: "http_request_transform",
};

/** The phases that a rule can skip. */
export const SKIPPABLE: readonly string[] = ["http_ratelimit", "http_request_sbfm", "http_request_firewall_managed"];

/** The action with a name. */
export function actionNamed(name: string): Action | undefined {
  return Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
}

/** Of each pair, a map within the parameters has one. */
const CHOICES: readonly (readonly [string, string])[] = [
  ["value", "expression"],
  ["status_code", "status_code_range"],
  ["all", "list"],
];

/** The parameters that a declared one of an action excludes, in the same map. */
export function excludedBy(parameter: string, action: string): readonly string[] {
  const pairs = [...(actionNamed(action)?.exclusive ?? []), ...CHOICES];
  return pairs.flatMap(([first, second]) => (parameter === first ? [second] : parameter === second ? [first] : []));
}

/** The actions that have a parameter. */
export function actionsWith(parameter: string): readonly string[] {
  return Object.keys(ACTIONS).filter((name) => ACTIONS[name]?.parameters.includes(parameter));
}

/** The phases whose rules can have an action. */
export function phasesOf(action: string): readonly string[] {
  return Object.keys(PHASES).filter((phase) => PHASES[phase]?.includes(action));
}

/** Fields that belong to the action of a rule, and are not kept when the action changes. */
export const OF_ACTION: readonly string[] = ["action_parameters", "logging"];

/**
 * A rule as it is written: the declared fields, and the live ones that the YAML does not manage. Fields of another action and
 * parameters that a declared one excludes are left out: the service would refuse them, or read them differently.
 */
export function mergedRule(own: JsonObject, live: JsonObject): JsonObject {
  const isSameAction = own["action"] === live["action"];
  const base = isSameAction
    ? withoutExcluded(live, own, optionalText(own, "action") ?? "")
    : Object.fromEntries(Object.entries(live).filter(([field]) => !OF_ACTION.includes(field)));
  return leaves(own).reduce((rule: JsonObject, { path, value }) => withValueAt(rule, path, value), base);
}

function withoutExcluded(live: JsonObject, own: JsonObject, action: string): JsonObject {
  const named = Object.keys(own).filter((name) => own[name] !== null);
  const excluded = named.flatMap((name) => excludedBy(name, action));
  const kept = Object.entries(live).filter(([name]) => !excluded.includes(name) || named.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const declaredValue = own[name];
      const isMap = isObject(value) && isObject(declaredValue);
      return [name, isMap ? withoutExcluded(value, declaredValue, action) : value];
    }),
  );
}
