import { PLANS, type Plan } from "../store.ts";
import type { Ruleset } from "./ruleset.ts";

/** The phases of the Rulesets API (docs/service.md#rulesets). */
export const PHASES: ReadonlySet<string> = new Set([
  "ddos_l4",
  "ddos_l7",
  "http_config_settings",
  "http_custom_errors",
  "http_log_custom_fields",
  "http_ratelimit",
  "http_request_cache_settings",
  "http_request_dynamic_redirect",
  "http_request_firewall_custom",
  "http_request_firewall_managed",
  "http_request_late_transform",
  "http_request_origin",
  "http_request_redirect",
  "http_request_sanitize",
  "http_request_sbfm",
  "http_request_transform",
  "http_response_cache_settings",
  "http_response_compression",
  "http_response_firewall_managed",
  "http_response_headers_transform",
  "magic_transit",
  "magic_transit_ids_managed",
  "magic_transit_managed",
  "magic_transit_ratelimit",
]);

/** The actions of rules (docs/service.md#rulesets). */
export const ACTIONS: ReadonlySet<string> = new Set([
  "block",
  "challenge",
  "compress_response",
  "ddos_dynamic",
  "execute",
  "force_connection_close",
  "js_challenge",
  "log",
  "log_custom_field",
  "managed_challenge",
  "redirect",
  "rewrite",
  "route",
  "score",
  "serve_error",
  "set_cache_control",
  "set_cache_settings",
  "set_cache_tags",
  "set_config",
  "skip",
]);

/** The phase of the managed rules. Its rules can only execute and skip rulesets (docs/service.md#rules). */
export const MANAGED_PHASE = "http_request_firewall_managed";

interface Managed {
  readonly description?: string;
  readonly id: string;
  readonly name: string;
  readonly phase: string;
  readonly from: Plan;
}

/** The managed rulesets, each with the cheapest plan that may execute it (docs/service.md#managed-rulesets). */
const MANAGED: readonly Managed[] = [
  { id: "efb7b8c949ac4650a09736fc376e9aee", name: "Cloudflare Managed Ruleset", phase: MANAGED_PHASE, from: "pro" },
  {
    id: "4814384a9e5d4991b9815dcfc25d2f1f",
    name: "Cloudflare OWASP Core Ruleset",
    description: "OWASP core rule set 3.x",
    phase: MANAGED_PHASE,
    from: "pro",
  },
  {
    id: "c2e184081120413c86c3ab7e14069605",
    name: "Cloudflare Exposed Credentials Check Ruleset",
    phase: MANAGED_PHASE,
    from: "pro",
  },
  {
    id: "77454fe2d30c4220b5701f6fdfb893ba",
    name: "Cloudflare Managed Free Ruleset",
    phase: MANAGED_PHASE,
    from: "free",
  },
  { id: "4d21379b4f9f4bb088e0729962c8b3cf", name: "DDoS L7 ruleset", phase: "ddos_l7", from: "free" },
];

/** When the managed rulesets were last changed. A fixed day, so that answers stay the same. */
const UPDATED_AT = Date.UTC(2024, 0, 1);

/** The managed rulesets, without their rules. */
export function managedRulesets(): Ruleset[] {
  return MANAGED.map(({ id, name, description, phase }) => ({
    id,
    name,
    kind: "managed",
    phase,
    versions: [{ version: 1, description: description ?? "", rules: [], updatedAt: UPDATED_AT }],
  }));
}

/** Whether a zone with the plan may execute the managed ruleset; undefined if no managed ruleset has the id. */
export function isEntitled(id: string, plan: Plan): boolean | undefined {
  const ruleset = MANAGED.find((managed) => managed.id === id);
  return ruleset === undefined ? undefined : PLANS.indexOf(plan) >= PLANS.indexOf(ruleset.from);
}

/** How many custom rules a zone may have, by plan (docs/service.md#limits-by-plan). */
export const CUSTOM_RULES: Readonly<Record<Plan, number>> = { free: 5, pro: 20, business: 100, enterprise: 1000 };

/** How many custom rulesets a zone may have, by plan (docs/service.md#limits-by-plan). */
export const CUSTOM_RULESETS: Readonly<Record<Plan, number>> = { free: 1, pro: 2, business: 5, enterprise: 10 };
