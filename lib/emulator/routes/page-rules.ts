import { jsonBody, param, zoneRoute, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import type { Zone } from "../store.ts";
import { absent } from "../waf/gone.ts";
import { addPageRule, inOrder, pageRuleView, readPageRule } from "../waf/page-rules.ts";
import type { PageRule } from "../waf/record.ts";

const ONE = "/pagerules/:rule";

/** /zones/{id}/pagerules: as much as the migration needs (public documentation of page rules). The list has no pages. */
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
