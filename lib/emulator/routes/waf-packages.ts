import { jsonBody, param, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import type { Zone } from "../store.ts";
import { PACKAGES, type OldGroup, type OldPackage } from "../waf/catalogue.ts";
import { oldRoute } from "../waf/gone.ts";
import { listed } from "../waf/listing.ts";
import {
  editGroup,
  editPackage,
  editRule,
  foundGroup,
  foundPackage,
  foundRule,
  groupMode,
  groupView,
  packageView,
  ruleMode,
  rulesOf,
  ruleView,
  type Placed,
} from "../waf/packages.ts";

const ONE = "/packages/:package";

/** The values of the filter `mode` of rules (docs/service.md#previous-waf). */
const MODE_FILTERS: ReadonlyMap<string, string> = new Map([
  ["DIS", "disable"],
  ["CHL", "challenge"],
  ["BLK", "block"],
  ["SIM", "simulate"],
]);

/** /zones/{id}/firewall/waf/packages with their groups and rules (docs/service.md#previous-waf). */
export function wafPackageRoutes(): Route[] {
  return [
    oldRoute("GET", "/packages", listPackages),
    oldRoute("GET", ONE, (call, zone) => success(packageView(zone, packageIn(call)))),
    oldRoute("PATCH", ONE, patchPackage),
    oldRoute("GET", `${ONE}/groups`, listGroups),
    oldRoute("GET", `${ONE}/groups/:group`, (call, zone) => showGroup(zone, packageIn(call), groupIn(call))),
    oldRoute("PATCH", `${ONE}/groups/:group`, patchGroup),
    oldRoute("GET", `${ONE}/rules`, listRules),
    oldRoute("GET", `${ONE}/rules/:rule`, (call, zone) => success(ruleView(zone, packageIn(call), ruleIn(call)))),
    oldRoute("PATCH", `${ONE}/rules/:rule`, patchRule),
  ];
}

function listPackages(call: Call, zone: Zone): Reply {
  return listed<OldPackage>(call.query, PACKAGES, {
    filters: {
      name: ({ name }, wanted) => name === wanted,
      detection_mode: ({ detectionMode }, wanted) => detectionMode === wanted,
    },
    orders: { name: ({ name }) => name },
    view: (pack) => packageView(zone, pack),
  });
}

function listGroups(call: Call, zone: Zone): Reply {
  const pack = packageIn(call);
  return listed<OldGroup>(call.query, pack.groups, {
    filters: {
      name: ({ name }, wanted) => name === wanted,
      mode: (group, wanted) => groupMode(zone, group) === wanted,
      rules_count: ({ rules }, wanted) => String(rules.length) === wanted,
    },
    orders: { mode: (group) => groupMode(zone, group), rules_count: ({ rules }) => rules.length },
    view: (group) => groupView(zone, pack, group),
  });
}

function listRules(call: Call, zone: Zone): Reply {
  const pack = packageIn(call);
  return listed<Placed>(call.query, rulesOf(pack), {
    filters: {
      mode: ({ rule }, wanted) => ruleMode(zone, rule) === (MODE_FILTERS.get(wanted) ?? wanted),
      group_id: ({ group }, wanted) => group.id === wanted,
      description: ({ rule }, wanted) => rule.description === wanted,
      priority: ({ rule }, wanted) => rule.priority === wanted,
    },
    orders: {
      priority: ({ rule }) => Number(rule.priority),
      group_id: ({ group }) => group.id,
      description: ({ rule }) => rule.description,
    },
    view: (placed) => ruleView(zone, pack, placed),
  });
}

function patchPackage(call: Call, zone: Zone): Reply {
  const pack = packageIn(call);
  editPackage(zone, pack, jsonBody(call));
  return success(packageView(zone, pack));
}

function patchGroup(call: Call, zone: Zone): Reply {
  editGroup(zone, groupIn(call), jsonBody(call));
  return showGroup(zone, packageIn(call), groupIn(call));
}

function patchRule(call: Call, zone: Zone): Reply {
  const [pack, placed] = [packageIn(call), ruleIn(call)];
  editRule(zone, pack, placed.rule, jsonBody(call));
  return success(ruleView(zone, pack, placed));
}

function showGroup(zone: Zone, pack: OldPackage, group: OldGroup): Reply {
  return success(groupView(zone, pack, group));
}

function packageIn(call: Call): OldPackage {
  return foundPackage(param(call, "package"));
}

function groupIn(call: Call): OldGroup {
  return foundGroup(packageIn(call), param(call, "group"));
}

function ruleIn(call: Call): Placed {
  return foundRule(packageIn(call), param(call, "rule"));
}
