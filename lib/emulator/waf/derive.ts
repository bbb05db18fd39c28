import type { JsonObject } from "../json.ts";
import { rulesToMigrate } from "./eligibility.ts";
import { effectOf, offExpressions, onExpressions } from "./page-rules.ts";
import type { ActionMode, FirewallRule, PageRule, Sensitivity, Waf } from "./record.ts";

/** The new ruleset of the service's own rules (docs/service.md#managed-rulesets). */
const SERVICE_RULESET = "efb7b8c949ac4650a09736fc376e9aee";

/** A rule that is on in the new ruleset, although its predecessor was off by default (rule and override: docs/service.md#waf-migration). */
const ALWAYS_OVERRIDDEN = { id: "23ee7cebe6e8443e99ecf932ab579455", action: "log", enabled: false };

/**
 * The new managed rules that do what the previous ones do (docs/service.md#waf-migration, docs/service.md#what-migrates). Skip rules come
 * first, because they only affect rules after them; group and rule overrides are not migrated.
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

/** With the WAF off, page rules can still turn it on for their requests; without any, the rules are there but disabled. */
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

/** The rule has no id, version and ref yet: each is "" here (docs/service.md#waf-migration). */
function unassigned(action: string, expression: string, description: string): JsonObject {
  return { id: "", version: "", action, expression, description, ref: "" };
}

/** The new OWASP ruleset, which is based on the core rule set 3.x (docs/service.md#managed-rulesets). */
const OWASP_RULESET = "4814384a9e5d4991b9815dcfc25d2f1f";

/** The rule of the new OWASP ruleset that decides by the score (docs/service.md#managed-rulesets). */
const THRESHOLD_RULE = "6179ae15870a4bb7b2d480d4843b323c";

/** The highest paranoia level of the new OWASP ruleset. */
const HIGHEST_LEVEL = 4;

/** How strict the new OWASP ruleset is. */
interface Strictness {
  /** Rules of a higher paranoia level are off. */
  readonly level: number;
  /** A request with this score or a higher one is acted on. */
  readonly threshold: number;
}

/** The table of docs/service.md#what-migrates. `off` has no row: PL2, which the migration sets anyway, and the threshold that goes with it. */
const TABLE: Readonly<Record<Sensitivity | "default", Strictness>> = {
  high: { level: 2, threshold: 40 },
  medium: { level: 1, threshold: 25 },
  low: { level: 1, threshold: 40 },
  default: { level: 2, threshold: 40 },
  off: { level: 2, threshold: 40 },
};

/** Old action to new (docs/service.md#what-migrates): the same, but simulate is log now. */
const ACTIONS: Readonly<Record<ActionMode, string>> = { simulate: "log", block: "block", challenge: "challenge" };

/** The overrides of the new OWASP ruleset with the effect of the package's sensitivity and action. Its group and rule overrides are lost. */
function owaspOverrides({ sensitivity, actionMode }: Waf): JsonObject {
  const { level, threshold } = TABLE[sensitivity ?? "default"];
  const above = Array.from({ length: HIGHEST_LEVEL - level }, (_, index) => level + 1 + index);
  return {
    categories: above.map((higher) => ({ category: `paranoia-level-${higher}`, enabled: false })),
    rules: [{ id: THRESHOLD_RULE, action: ACTIONS[actionMode], score_threshold: threshold }],
  };
}
