import { jsonBody, jsonValue, param, zoneRoute, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { addFirewallRule, firewallRuleView, readFirewallRule } from "../waf/firewall-rules.ts";
import { absent, badInput } from "../waf/gone.ts";
import { listed } from "../waf/listing.ts";
import type { FirewallRule } from "../waf/record.ts";

const ONE = "/firewall/rules/:rule";

/** /zones/{id}/firewall/rules with their filters inside: as much as the migration needs (public documentation of the Firewall Rules API). */
export function firewallRuleRoutes(): Route[] {
  return [
    zoneRoute("GET", "/firewall/rules", list),
    zoneRoute("POST", "/firewall/rules", create),
    zoneRoute("GET", ONE, (call, zone) => success(firewallRuleView(found(call, zone)))),
    zoneRoute("PUT", ONE, edit),
    zoneRoute("PATCH", ONE, edit),
    zoneRoute("DELETE", ONE, remove),
  ];
}

function list(call: Call, zone: Zone): Reply {
  return listed<FirewallRule>(call.query, zone.waf.firewallRules, {
    filters: {
      action: ({ action }, wanted) => action === wanted,
      description: ({ description }, wanted) => description.includes(wanted),
      paused: ({ paused }, wanted) => String(paused) === wanted,
    },
    orders: {},
    view: firewallRuleView,
  });
}

/** Takes one rule or a list of rules. All are added, or none. */
function create(call: Call, zone: Zone): Reply {
  const body = jsonValue(call);
  const sent = Array.isArray(body) ? body : [body];
  const inputs = sent.map((rule) => readFirewallRule(asRule(rule)));
  return success(inputs.map((input) => firewallRuleView(addFirewallRule(call.core, zone, input))));
}

function edit(call: Call, zone: Zone): Reply {
  const rule = found(call, zone);
  Object.assign(rule, readFirewallRule(jsonBody(call), rule), { modifiedAt: call.now });
  return success(firewallRuleView(rule));
}

function remove(call: Call, zone: Zone): Reply {
  const rule = found(call, zone);
  zone.waf.firewallRules = zone.waf.firewallRules.filter((other) => other !== rule);
  return success({ id: rule.id });
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
