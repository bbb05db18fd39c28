import { type Call, jsonBody, param, type Route } from "../call.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { GROUP_MODES, type OldGroup, type OldPackage, type OldRule, PACKAGES, RULE_MODES } from "./catalogue.ts";
import { absent, badInput, listed, oldRoute } from "./old-api.ts";
import { ACTION_MODES, SENSITIVITIES } from "./previous-waf.ts";

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

/** The package in the path. Throws a 404. */
function packageIn(call: Call): OldPackage {
  const id = param(call, "package");
  return PACKAGES.find((pack) => pack.id === id) ?? refuse(`WAF package ${id}`);
}

/** The group in the path. Throws a 404. */
function groupIn(call: Call): OldGroup {
  const id = param(call, "group");
  return packageIn(call).groups.find((group) => group.id === id) ?? refuse(`WAF rule group ${id}`);
}

/** The rule in the path. Throws a 404. */
function ruleIn(call: Call): Placed {
  const id = param(call, "rule");
  return rulesOf(packageIn(call)).find(({ rule }) => rule.id === id) ?? refuse(`WAF rule ${id}`);
}

function refuse(what: string): never {
  throw absent(what);
}

/** A rule with the group that it is in. */
interface Placed {
  readonly group: OldGroup;
  readonly rule: OldRule;
}

/** The rules of the package, group by group. */
export function rulesOf(pack: OldPackage): Placed[] {
  return pack.groups.flatMap((group) => group.rules.map((rule) => ({ group, rule })));
}

/** A package as the API shows it. An anomaly package leaves out a sensitivity that was never set (docs/service.md#previous-waf; inferred). */
function packageView(zone: Zone, pack: OldPackage): JsonObject {
  const { sensitivity, actionMode } = zone.waf;
  const isAnomaly = pack.detectionMode === "anomaly";
  return {
    id: pack.id,
    name: pack.name,
    description: pack.description,
    detection_mode: pack.detectionMode,
    zone_id: zone.id,
    status: "active",
    ...(isAnomaly && sensitivity !== null ? { sensitivity } : {}),
    ...(isAnomaly ? { action_mode: actionMode } : {}),
  };
}

/** A group as the API shows it. */
function groupView(zone: Zone, pack: OldPackage, group: OldGroup): JsonObject {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    rules_count: group.rules.length,
    modified_rules_count: group.rules.filter((rule) => Object.hasOwn(zone.waf.ruleModes, rule.id)).length,
    package_id: pack.id,
    mode: groupMode(zone, group),
    allowed_modes: [...GROUP_MODES],
  };
}

/** A rule as the API shows it. */
function ruleView(zone: Zone, pack: OldPackage, { group, rule }: Placed): JsonObject {
  return {
    id: rule.id,
    description: rule.description,
    priority: rule.priority,
    group: { id: group.id, name: group.name },
    package_id: pack.id,
    allowed_modes: [...RULE_MODES[pack.detectionMode]],
    mode: ruleMode(zone, rule),
    ...(rule.defaultMode === undefined ? {} : { default_mode: rule.defaultMode }),
  };
}

/** The group's mode: on or off. */
function groupMode(zone: Zone, group: OldGroup): string {
  return zone.waf.groupModes[group.id] ?? "on";
}

/** The rule's mode. */
function ruleMode(zone: Zone, rule: OldRule): string {
  return zone.waf.ruleModes[rule.id] ?? rule.usualMode;
}

/** Sets the sensitivity and the action. Throws 1027 for a traditional package, which has neither (docs/service.md#previous-waf). */
function editPackage(zone: Zone, pack: OldPackage, body: JsonObject): void {
  if (pack.detectionMode !== "anomaly")
    throw new ServiceError(400, { code: 1027, message: "Only anomaly detection packages have package attributes" });
  const sensitivity = choice(body, "sensitivity", SENSITIVITIES);
  const actionMode = choice(body, "action_mode", ACTION_MODES);
  if (sensitivity === undefined && actionMode === undefined) throw badInput("sensitivity or action_mode is required");
  zone.waf.sensitivity = sensitivity ?? zone.waf.sensitivity;
  zone.waf.actionMode = actionMode ?? zone.waf.actionMode;
}

/** Turns a group on or off. */
export function editGroup(zone: Zone, group: OldGroup, body: JsonObject): void {
  const mode = needed(choice(body, "mode", GROUP_MODES));
  if (mode === "on") delete zone.waf.groupModes[group.id];
  else zone.waf.groupModes[group.id] = mode;
}

/** Sets the mode of a rule. The default mode removes what was set. */
export function editRule(zone: Zone, pack: OldPackage, rule: OldRule, body: JsonObject): void {
  const mode = needed(choice<string>(body, "mode", RULE_MODES[pack.detectionMode]));
  if (mode === rule.usualMode) delete zone.waf.ruleModes[rule.id];
  else zone.waf.ruleModes[rule.id] = mode;
}

function choice<T extends string>(body: JsonObject, name: string, known: readonly T[]): T | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw badInput(`${name} must be one of ${known.join(", ")}`);
  return found;
}

function needed(mode: string | undefined): string {
  if (mode === undefined) throw badInput("mode is required");
  return mode;
}
