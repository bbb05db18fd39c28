import { bypassesWaf } from "./firewall-rules.ts";
import { effectOf } from "./page-rules.ts";
import { hasPrevious, type FirewallRule, type Waf } from "./previous-waf.ts";

/** How many firewall rules can migrate without support (docs/service.md#waf-migration). */
const MOST_RULES = 200;

/** How many bytes an expression may have to migrate without support (docs/service.md#waf-migration). */
const MOST_BYTES = 4096;

/** Why a zone cannot migrate. The reasons are inferred: only `compatible` is documented. */
interface Reason {
  readonly reason:
    | "uri_overrides"
    | "firewall_rules"
    | "expression_length"
    | "owasp"
    | "bypass_rules"
    | "page_rules"
    | "no_previous_rules"
    | "migrated";
  readonly message: string;
}

/** The firewall rules that bypass the managed rules. Only these migrate. */
export function rulesToMigrate(waf: Waf): FirewallRule[] {
  return waf.firewallRules.filter(bypassesWaf);
}

/** Why the zone cannot migrate in phase 2, or in phase 1 (without `phase_two=1`); empty if it can (docs/service.md#waf-migration). */
export function reasonsAgainst(waf: Waf, phase: 1 | 2): Reason[] {
  if (waf.migration.state === "complete")
    return [{ reason: "migrated", message: "the zone has migrated already; the migration is irreversible" }];
  if (!hasPrevious(waf))
    return [{ reason: "no_previous_rules", message: "the zone never had the previous managed rules" }];
  return [...overrideReasons(waf), ...supportReasons(waf), ...(phase === 1 ? phaseOneReasons(waf) : [])];
}

/** The reasons that only support can resolve (docs/service.md#waf-migration). With one of these not even the configuration can be derived. */
export function supportReasons(waf: Waf): Reason[] {
  const rules = rulesToMigrate(waf);
  const long = rules.filter(({ expression }) => Buffer.byteLength(expression, "utf8") > MOST_BYTES);
  const reasons: Reason[] = [];
  if (rules.length > MOST_RULES) {
    const message = `the number of firewall rules to migrate exceeds ${MOST_RULES}: ${rules.length}; contact support`;
    reasons.push({ reason: "firewall_rules", message });
  }
  if (long.length > 0) {
    const message = `the expression of a firewall rule is longer than 4 KB: ${long.map(({ id }) => id).join(", ")}; contact support`;
    reasons.push({ reason: "expression_length", message });
  }
  return reasons;
}

function overrideReasons({ overrides }: Waf): Reason[] {
  if (overrides.length === 0) return [];
  const message = `the zone has URI-based WAF overrides: ${overrides.map(({ id }) => id).join(", ")}; delete them first`;
  return [{ reason: "uri_overrides", message }];
}

/** The conditions of phase 1 that the zone does not meet (docs/service.md#waf-migration). */
function phaseOneReasons(waf: Waf): Reason[] {
  const reasons: Reason[] = [];
  if (waf.isOn && waf.sensitivity !== "off")
    reasons.push({ reason: "owasp", message: "more than the managed ruleset is enabled: the OWASP package" });
  if (waf.firewallRules.some(bypassesWaf))
    reasons.push({ reason: "bypass_rules", message: "firewall rules bypass managed rules" });
  if (waf.pageRules.some((rule) => effectOf(rule) !== "none"))
    reasons.push({ reason: "page_rules", message: "page rules enable or disable managed rules" });
  return reasons;
}
