import { type Codes, notFound, refused } from "./entry.ts";

/** Rulesets and entry points (docs/service.md#rulesets). */
export const RULESETS: Codes = {
  10001: notFound(
    "the ruleset does not exist, or the call is not allowed",
    "plan again; check the token's Zone WAF permission",
  ),
  10003: notFound("the phase has no entry point yet", "plan again to create it"),
  20217: refused(
    "the phase already has an entry point, and allows only one",
    "plan again, with adopt: true on the entry point",
  ),
  50002: refused(
    "the zone's subscription does not include this phase or feature",
    "remove it from the YAML, or upgrade the subscription",
  ),
};

/** The previous managed WAF rules (docs/service.md#error-codes, docs/service.md#previous-waf). */
export const PREVIOUS_WAF: Codes = {
  1027: refused(
    "this package has no sensitivity and no action: only the anomaly one (OWASP) has",
    "set the package's groups and rules instead",
  ),
  10020: refused("Cloudflare no longer accepts writes of old firewall rules", "write them as rules of an entry point"),
};
