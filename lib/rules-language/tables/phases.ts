import type { FieldEntry, FunctionEntry } from "./shape.ts";

/** Custom rules. */
export const CUSTOM = "http_request_firewall_custom";

/** Rate limiting rules. */
export const RATE_LIMIT = "http_ratelimit";

/** Single redirects, which compute their target. */
export const REDIRECT = "http_request_dynamic_redirect";

/** Transform rules that rewrite the URL. */
export const URL_REWRITE = "http_request_transform";

/** Transform rules that change the headers of the request. */
export const REQUEST_HEADERS = "http_request_late_transform";

/** Transform rules that change the headers of the response. */
export const RESPONSE_HEADERS = "http_response_headers_transform";

/** Custom error rules. */
export const ERRORS = "http_custom_errors";

/** All transform rules. */
export const TRANSFORM: readonly string[] = [URL_REWRITE, REQUEST_HEADERS, RESPONSE_HEADERS];

/** Phases that see the response. A rate limiting rule sees it only in its counting expression. */
export const RESPONSE: readonly string[] = [
  RESPONSE_HEADERS,
  ERRORS,
  RATE_LIMIT,
  "http_log_custom_fields",
  "http_response_cache_settings",
  "http_response_compression",
  "http_response_firewall_managed",
];

/**
 * Whether a phase has a field or a function, as far as the documentation says. It may have it where this says no: the
 * service adds phases more often than the documentation does.
 */
export function isInPhase(entry: FieldEntry | FunctionEntry, phase: string): boolean {
  if (phase.startsWith("magic_transit")) return entry.packets !== undefined;
  return entry.packets !== "only" && (entry.phases === undefined || entry.phases.includes(phase));
}
