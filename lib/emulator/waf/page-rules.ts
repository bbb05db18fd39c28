import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import { type Reply, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import { absent, badInput } from "./old-api.ts";
import type { PageRule } from "./previous-waf.ts";

const ONE = "/pagerules/:rule";

/** /zones/{id}/pagerules, as far as the migration needs it (public documentation of page rules). The list has no pages. */
export function pageRuleRoutes(): Route[] {
  return [
    zoneRoute("GET", "/pagerules", list),
    zoneRoute("POST", "/pagerules", create),
    zoneRoute("GET", ONE, (call, zone) => success(pageRuleView(found(call, zone)))),
    zoneRoute("PUT", ONE, (call, zone) => edit(call, found(call, zone), undefined)),
    zoneRoute("PATCH", ONE, (call, zone) => edit(call, found(call, zone), found(call, zone))),
    zoneRoute("DELETE", ONE, remove),
  ];
}

function list(call: Call, zone: Zone): Reply {
  const wanted = call.query.get("status");
  const rules = zone.waf.pageRules.filter(({ status }) => wanted === null || status === wanted);
  return success(inOrder(rules).map(pageRuleView));
}

function create(call: Call, zone: Zone): Reply {
  return success(pageRuleView(addPageRule(call.core, zone, readPageRule(jsonBody(call)))));
}

/** PATCH keeps what is not sent, PUT resets it. */
function edit(call: Call, rule: PageRule, kept: PageRule | undefined): Reply {
  const input = readPageRule(jsonBody(call), kept);
  Object.assign(rule, input, { priority: input.priority ?? rule.priority, modifiedAt: call.now });
  return success(pageRuleView(rule));
}

function remove(call: Call, zone: Zone): Reply {
  const rule = found(call, zone);
  zone.waf.pageRules = zone.waf.pageRules.filter((other) => other !== rule);
  return success({ id: rule.id });
}

function found(call: Call, zone: Zone): PageRule {
  const id = param(call, "rule");
  const rule = zone.waf.pageRules.find((candidate) => candidate.id === id);
  if (rule === undefined) throw absent(`page rule ${id}`);
  return rule;
}

/** The part of a page rule that a caller sets. A new rule without a priority gets the highest. */
type PageRuleInput = Pick<PageRule, "url" | "actions" | "status"> & { readonly priority: number | null };

/** What a page rule does to the previous managed rules. */
type PageRuleEffect = "disable-security" | "waf-off" | "waf-on" | "none";

/** Reads a page rule. A member that is absent keeps its present value, or takes its default. Throws a 400. */
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

/** Adds a page rule to the zone. */
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

/** The page rules by priority, the highest first. Only the first that matches a request applies to it. */
export function inOrder(rules: readonly PageRule[]): PageRule[] {
  return rules.toSorted((a, b) => b.priority - a.priority);
}

/** A page rule as the API shows it. */
function pageRuleView(rule: PageRule): JsonObject {
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

/** A page rule with the expression that matches the requests to which it applies. */
interface Applied {
  readonly rule: PageRule;
  readonly expression: string;
}

/** The page rules that turn off the previous managed rules, each with the expression that matches its requests. */
export function offExpressions(rules: readonly PageRule[]): Applied[] {
  return applied(rules, (rule) => ["disable-security", "waf-off"].includes(effectOf(rule)));
}

/** The page rules that turn on the previous managed rules, each with the expression that matches its requests. */
export function onExpressions(rules: readonly PageRule[]): Applied[] {
  return applied(rules, (rule) => effectOf(rule) === "waf-on");
}

/**
 * The page rules of a kind, with their expressions. Only the first page rule that matches applies, so an expression excludes what
 * active rules before it match, unless they are of the same kind.
 */
function applied(rules: readonly PageRule[], isKind: (rule: PageRule) => boolean): Applied[] {
  const found: Applied[] = [];
  const before: PageRule[] = [];
  for (const rule of inOrder(rules)) {
    if (isKind(rule)) found.push({ rule, expression: without(rule, before) });
    else if (rule.status === "active") before.push(rule);
  }
  return found;
}

function without(rule: PageRule, before: readonly PageRule[]): string {
  const own = matching(rule.url);
  if (before.length === 0) return own;
  return `(${own}) and not (${before.map(({ url }) => matching(url)).join(" or ")})`;
}

/** The expression for a URL pattern. A pattern without a scheme matches both schemes. */
function matching(url: string): string {
  const pattern = url.includes("://") ? url : `http*://${url}`;
  return `http.request.full_uri wildcard "${pattern.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The page rule that applies to a URL such as `https://saas.net/x`, if any. */
export function ruleFor(rules: readonly PageRule[], url: string): PageRule | undefined {
  return inOrder(rules).find((rule) => rule.status === "active" && isMatch(rule.url, url));
}

function isMatch(pattern: string, url: string): boolean {
  const subject = pattern.includes("://") ? url : url.replace(/^https?:\/\//, "");
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.?+^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "i").test(subject);
}
