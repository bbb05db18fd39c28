import type { Plan } from "../store.ts";

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

/** How many custom rules a zone may have, by plan (docs/service.md#limits-by-plan). */
export const CUSTOM_RULES: Readonly<Record<Plan, number>> = { free: 5, pro: 20, business: 100, enterprise: 1000 };

/** How many custom rulesets a zone may have, by plan (docs/service.md#limits-by-plan). */
export const CUSTOM_RULESETS: Readonly<Record<Plan, number>> = { free: 1, pro: 2, business: 5, enterprise: 10 };
