import { type Codes, notFound, refused } from "./entry.ts";

/** Rulesets and entry points (docs/service.md#rulesets). */
export const RULESETS: Codes = {
  10001: notFound(
    "the ruleset does not exist, or the call is not allowed",
    "plan again; check the token's Zone WAF permission",
  ),
  10003: notFound("the phase has no entry point yet", "plan again: it is then created"),
  20217: refused(
    "the phase has an entry point already, and takes only one",
    "plan again, with adopt: true on the entry point",
  ),
  50002: refused(
    "the zone's plan does not include this phase or feature",
    "remove it from the YAML, or change the zone's plan",
  ),
};

/** The previous managed WAF rules (docs/service.md#error-codes, docs/service.md#previous-waf). */
export const PREVIOUS_WAF: Codes = {
  1027: refused(
    "this package has no sensitivity and no action: only the anomaly one (OWASP) has",
    "set the package's groups and rules instead",
  ),
  10020: refused("the old firewall rules take no more writes", "write them as rules of an entry point"),
};
