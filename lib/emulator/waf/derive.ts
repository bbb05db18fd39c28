import type { JsonObject } from "../json.ts";
import { rulesToMigrate } from "./eligibility.ts";
import { effectOf, offExpressions, onExpressions } from "./page-rules.ts";
import type { ActionMode, FirewallRule, PageRule, Sensitivity, Waf } from "./previous-waf.ts";

/** The new ruleset of Cloudflare's own rules (docs/service.md#managed-rulesets). */
const SERVICE_RULESET = "efb7b8c949ac4650a09736fc376e9aee";

/** Turns off a rule that is on in the new ruleset and was off by default in the previous one (docs/service.md#waf-migration). */
const ALWAYS_OVERRIDDEN = { id: "23ee7cebe6e8443e99ecf932ab579455", action: "log", enabled: false };

/**
 * The new managed rules that protect as the previous ones do (docs/service.md#waf-migration, docs/service.md#what-migrates). Skip rules
 * come first, because they only affect rules behind them. Overrides of groups and rules are lost.
 */
export function deriveConfig(waf: Waf): JsonObject {
  return {
    name: "default",
    rules: [...bypassRules(waf), ...pageRules(waf), ...executeRules(waf)],
  };
}

function bypassRules(waf: Waf): JsonObject[] {
  const place = ({ priority }: FirewallRule): number => priority ?? Infinity;
  return rulesToMigrate(waf)
    .sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
    .map(({ id, expression, description, paused }) =>
      skip(expression, description === "" ? `Firewall rule ${id}` : description, !paused),
    );
}

function pageRules(waf: Waf): JsonObject[] {
  return offExpressions(waf.pageRules).map(({ rule, expression }) =>
    skip(expression, `Page Rule ${rule.url}: ${setting(rule)}`, rule.status === "active"),
  );
}

function setting(rule: PageRule): string {
  return effectOf(rule) === "disable-security" ? "Disable Security" : "Web Application Firewall Off";
}

/** If the WAF is off, active page rules may still turn it on for their requests. Without such a page rule the execute rules are disabled. */
function executeRules(waf: Waf): JsonObject[] {
  const on = onExpressions(waf.pageRules).filter(({ rule }) => rule.status === "active");
  const isRunning = waf.isOn || on.length > 0;
  const only = on.map(({ expression }) => (on.length === 1 ? expression : `(${expression})`)).join(" or ");
  const expression = waf.isOn || on.length === 0 ? "true" : only;
  return [
    execute(expression, isRunning, { id: SERVICE_RULESET, overrides: { rules: [{ ...ALWAYS_OVERRIDDEN }] } }),
    execute(expression, isRunning && waf.sensitivity !== "off", { id: OWASP_RULESET, overrides: owaspOverrides(waf) }),
  ];
}

function execute(expression: string, enabled: boolean, parameters: JsonObject): JsonObject {
  return { ...unassigned("execute", expression, ""), enabled, action_parameters: parameters };
}

function skip(expression: string, description: string, enabled: boolean): JsonObject {
  return { ...unassigned("skip", expression, description), enabled, action_parameters: { ruleset: "current" } };
}

/** A rule without an id, a version and a ref: the API shows each as "" (docs/service.md#waf-migration). */
function unassigned(action: string, expression: string, description: string): JsonObject {
  return { id: "", version: "", action, expression, description, ref: "" };
}

/** The new OWASP ruleset, from version 3.x of the core rule set (docs/service.md#managed-rulesets). */
const OWASP_RULESET = "4814384a9e5d4991b9815dcfc25d2f1f";

/** The rule of the new OWASP ruleset that decides by the score (docs/service.md#managed-rulesets). */
const THRESHOLD_RULE = "6179ae15870a4bb7b2d480d4843b323c";

/** The highest paranoia level of the new OWASP ruleset. */
const HIGHEST_LEVEL = 4;

/** How strictly the new OWASP ruleset is set. */
interface Strictness {
  /** Rules of a higher paranoia level are off. */
  readonly level: number;
  /** The score from which the ruleset acts on a request. */
  readonly threshold: number;
}

/** The table of docs/service.md#what-migrates. `off` has no row there: the migration then sets PL2, here with the threshold of PL2. */
const TABLE: Readonly<Record<Sensitivity | "default", Strictness>> = {
  high: { level: 2, threshold: 40 },
  medium: { level: 1, threshold: 25 },
  low: { level: 1, threshold: 40 },
  default: { level: 2, threshold: 40 },
  off: { level: 2, threshold: 40 },
};

/** The new action for each old one (docs/service.md#what-migrates). */
const ACTIONS: Readonly<Record<ActionMode, string>> = { simulate: "log", block: "block", challenge: "challenge" };

/** The overrides of the new OWASP ruleset that match the sensitivity and the action of the previous package. */
function owaspOverrides({ sensitivity, actionMode }: Waf): JsonObject {
  const { level, threshold } = TABLE[sensitivity ?? "default"];
  const above = Array.from({ length: HIGHEST_LEVEL - level }, (_, index) => level + 1 + index);
  return {
    categories: above.map((higher) => ({ category: `paranoia-level-${higher}`, enabled: false })),
    rules: [{ id: THRESHOLD_RULE, action: ACTIONS[actionMode], score_threshold: threshold }],
  };
}
