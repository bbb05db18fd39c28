import { type Call, jsonBody, jsonValue, param, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { asText, isObject, type Json, type JsonObject } from "../json.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import { conditionError } from "../rulesets/expressions.ts";
import type { Zone } from "../store.ts";
import { absent, badInput, listed } from "./old-api.ts";
import type { FirewallRule } from "./previous-waf.ts";

const ONE = "/firewall/rules/:rule";

/**
 * /zones/{id}/firewall/rules, as far as the migration needs it, and of the calls for filters that which checks an expression (public
 * documentation of the Firewall Rules API).
 */
export function firewallRuleRoutes(): Route[] {
  return [
    zoneRoute("GET", "/firewall/rules", list),
    zoneRoute("POST", "/firewall/rules", create),
    zoneRoute("GET", ONE, (call, zone) => success(firewallRuleView(found(call, zone)))),
    zoneRoute("PUT", ONE, (call, zone) => success(edit(call, zone))),
    // The official client reads a list with the one rule.
    zoneRoute("PATCH", ONE, (call, zone) => success([edit(call, zone)])),
    zoneRoute("DELETE", ONE, remove),
    { method: "POST", path: "/filters/validate-expr", handler: validate },
  ];
}

function list(call: Call, zone: Zone): Reply {
  return listed<FirewallRule>(call.query, zone.waf.firewallRules, {
    filters: {
      action: ({ action }, wanted) => action === wanted,
      description: ({ description }, wanted) => description.includes(wanted),
      paused: ({ paused }, wanted) => String(paused) === wanted,
    },
    view: firewallRuleView,
  });
}

/** Takes one rule or a list of rules, and adds all of them or none. */
function create(call: Call, zone: Zone): Reply {
  const body = jsonValue(call);
  const sent = Array.isArray(body) ? body : [body];
  const inputs = sent.map((rule) => readFirewallRule(asRule(rule)));
  return success(inputs.map((input) => firewallRuleView(addFirewallRule(call.core, zone, input))));
}

function edit(call: Call, zone: Zone): JsonObject {
  const rule = found(call, zone);
  Object.assign(rule, readFirewallRule(jsonBody(call), rule), { modifiedAt: call.now });
  return firewallRuleView(rule);
}

function remove(call: Call, zone: Zone): Reply {
  const rule = found(call, zone);
  zone.waf.firewallRules = zone.waf.firewallRules.filter((other) => other !== rule);
  return success({ id: rule.id });
}

/** Checks an expression: a 400 has the error of the parser (docs/service.md#expressions). */
function validate(call: Call): Reply {
  const message = conditionError(asText(jsonBody(call)["expression"]));
  if (message !== undefined) throw new ServiceError(400, { message });
  return success(null);
}

function asRule(value: unknown): JsonObject {
  if (!isObject(value)) throw badInput("a firewall rule must be an object");
  return value;
}

function found(call: Call, zone: Zone): FirewallRule {
  const id = param(call, "rule");
  const rule = zone.waf.firewallRules.find((candidate) => candidate.id === id);
  if (rule === undefined) throw absent(`firewall rule ${id}`);
  return rule;
}

/** The part of a firewall rule that a caller sets. */
type FirewallRuleInput = Omit<FirewallRule, "id" | "filterId" | "createdAt" | "modifiedAt">;

/** Actions of firewall rules (public documentation of the Firewall Rules API). */
const ACTIONS: readonly string[] = [
  "block",
  "challenge",
  "js_challenge",
  "managed_challenge",
  "allow",
  "log",
  "bypass",
];

/** What a `bypass` rule can bypass; `waf` is the managed rules. */
const PRODUCTS: readonly string[] = ["zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf"];

/** Reads a firewall rule with its filter. A member that is absent keeps its present value, or takes its default. Throws a 400. */
export function readFirewallRule(body: JsonObject, kept?: FirewallRule): FirewallRuleInput {
  const filter = isObject(body["filter"]) ? body["filter"] : {};
  const input = {
    expression: filter["expression"] ?? kept?.expression,
    action: body["action"] ?? kept?.action,
    paused: body["paused"] ?? kept?.paused ?? false,
    priority: body["priority"] ?? kept?.priority ?? null,
    description: body["description"] ?? kept?.description ?? "",
    ref: body["ref"] ?? kept?.ref ?? null,
  };
  const { expression, action, paused, priority, description, ref } = input;
  if (typeof expression !== "string" || expression === "") throw badInput("filter.expression is required");
  if (typeof action !== "string" || !ACTIONS.includes(action))
    throw badInput(`action must be one of ${ACTIONS.join(", ")}`);
  if (typeof paused !== "boolean") throw badInput("paused must be true or false");
  if (priority !== null && typeof priority !== "number") throw badInput("priority must be a number");
  if (typeof description !== "string") throw badInput("description must be a string");
  if (ref !== null && typeof ref !== "string") throw badInput("ref must be a string");
  const products = readProducts(body["products"] ?? kept?.products ?? [], action);
  return { expression, action, products, paused, priority, description, ref };
}

/** Adds a firewall rule to the zone, with a new id if the given one is empty. */
export function addFirewallRule(core: Core, zone: Zone, input: FirewallRuleInput, id = ""): FirewallRule {
  const now = core.clock.now();
  const made = { id: id === "" ? core.ids.hex(32) : id, filterId: core.ids.hex(32) };
  const rule = { ...made, ...input, createdAt: now, modifiedAt: now };
  zone.waf.firewallRules.push(rule);
  return rule;
}

/** Whether the rule lets requests bypass the managed rules (docs/service.md#what-migrates). */
export function bypassesWaf({ action, products }: FirewallRule): boolean {
  return action === "bypass" && products.includes("waf");
}

/** A firewall rule as the API shows it. */
function firewallRuleView(rule: FirewallRule): JsonObject {
  return {
    id: rule.id,
    paused: rule.paused,
    description: rule.description,
    action: rule.action,
    priority: rule.priority,
    ...(rule.action === "bypass" ? { products: [...rule.products] } : {}),
    ...(rule.ref === null ? {} : { ref: rule.ref }),
    filter: { id: rule.filterId, expression: rule.expression, paused: false },
    created_on: timestamp(rule.createdAt),
    modified_on: timestamp(rule.modifiedAt),
  };
}

function readProducts(value: Json, action: string): string[] {
  if (!Array.isArray(value)) throw badInput("products must be a list");
  if (action !== "bypass") return [];
  if (value.length === 0) throw badInput("a bypass rule must name the products that it bypasses");
  return value.map((product) => {
    if (typeof product !== "string" || !PRODUCTS.includes(product))
      throw badInput(`products must be of ${PRODUCTS.join(", ")}`);
    return product;
  });
}
