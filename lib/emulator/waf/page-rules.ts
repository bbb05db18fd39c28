import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { badInput } from "./gone.ts";
import type { PageRule } from "./record.ts";

/** The part of a page rule that a caller sets; without a priority it gets the highest so far. */
export type PageRuleInput = Pick<PageRule, "url" | "actions" | "status"> & { readonly priority: number | null };

/** What a page rule does to the previous managed rules. */
export type PageRuleEffect = "disable-security" | "waf-off" | "waf-on" | "none";

/** Reads a page rule; what is not sent stays as it was, or takes its default. Throws a 400. */
export function readPageRule(body: JsonObject, kept?: PageRule): PageRuleInput {
  const actions = body["actions"] ?? kept?.actions;
  const priority = body["priority"] ?? kept?.priority ?? null;
  const status = body["status"] ?? kept?.status ?? "disabled";
  if (!Array.isArray(actions) || actions.length === 0) throw badInput("actions must not be empty");
  if (priority !== null && typeof priority !== "number") throw badInput("priority must be a number");
  if (status !== "active" && status !== "disabled") throw badInput("status must be active or disabled");
  const url = body["targets"] === undefined ? kept?.url : readTarget(body["targets"]);
  if (url === undefined) throw badInput("targets must not be empty");
  return { url, actions: actions.map(readAction), priority, status };
}

/** Adds a rule to the zone. */
export function addPageRule(core: Core, zone: Zone, input: PageRuleInput, id: string = core.ids.hex(32)): PageRule {
  const now = core.clock.now();
  const highest = zone.waf.pageRules.reduce((most, { priority }) => Math.max(most, priority), 0);
  const rule = { id, ...input, priority: input.priority ?? highest + 1, createdAt: now, modifiedAt: now };
  zone.waf.pageRules.push(rule);
  return rule;
}

/** What the rule does to the previous managed rules (docs/service.md#what-migrates). */
export function effectOf({ actions }: PageRule): PageRuleEffect {
  if (actions.some(({ id }) => id === "disable_security")) return "disable-security";
  const waf = actions.find(({ id }) => id === "waf");
  if (waf === undefined) return "none";
  return waf["value"] === "off" ? "waf-off" : "waf-on";
}

/** The rules in the order in which they are tried: the first that matches is the only one that applies. */
export function inOrder(rules: readonly PageRule[]): PageRule[] {
  return rules.toSorted((a, b) => b.priority - a.priority);
}

/** A page rule as the API shows it. */
export function pageRuleView(rule: PageRule): JsonObject {
  return {
    id: rule.id,
    targets: [{ target: "url", constraint: { operator: "matches", value: rule.url } }],
    actions: copy(rule.actions),
    priority: rule.priority,
    status: rule.status,
    created_on: timestamp(rule.createdAt),
    modified_on: timestamp(rule.modifiedAt),
  };
}

function readTarget(targets: Json): string {
  const [target] = Array.isArray(targets) ? targets : [];
  const constraint = isObject(target) && isObject(target["constraint"]) ? target["constraint"] : {};
  const value = constraint["value"];
  if (typeof value !== "string" || value === "") throw badInput("targets[0].constraint.value is required");
  return value;
}

function readAction(action: Json): JsonObject {
  if (!isObject(action) || typeof action["id"] !== "string") throw badInput("an action needs an id");
  if (action["id"] === "waf" && action["value"] !== "on" && action["value"] !== "off")
    throw badInput("the action waf is on or off");
  return copy(action);
}
