import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { GROUP_MODES, PACKAGES, RULE_MODES, type OldGroup, type OldPackage, type OldRule } from "./catalogue.ts";
import { absent, badInput } from "./gone.ts";
import { ACTION_MODES, SENSITIVITIES } from "./record.ts";

/** A rule with the group that it is in. */
export interface Placed {
  readonly group: OldGroup;
  readonly rule: OldRule;
}

/** The package of that id. Throws a 404. */
export function foundPackage(id: string): OldPackage {
  const pack = PACKAGES.find((candidate) => candidate.id === id);
  if (pack === undefined) throw absent(`WAF package ${id}`);
  return pack;
}

/** The group of that id in the package. Throws a 404. */
export function foundGroup(pack: OldPackage, id: string): OldGroup {
  const group = pack.groups.find((candidate) => candidate.id === id);
  if (group === undefined) throw absent(`WAF rule group ${id}`);
  return group;
}

/** The rules of the package, group by group. */
export function rulesOf(pack: OldPackage): Placed[] {
  return pack.groups.flatMap((group) => group.rules.map((rule) => ({ group, rule })));
}

/** The rule of that id in the package. Throws a 404. */
export function foundRule(pack: OldPackage, id: string): Placed {
  const placed = rulesOf(pack).find(({ rule }) => rule.id === id);
  if (placed === undefined) throw absent(`WAF rule ${id}`);
  return placed;
}

/** A package as the API shows it; an anomaly package without a sensitivity of its own leaves it out (docs/service.md#previous-waf; inferred). */
export function packageView(zone: Zone, pack: OldPackage): JsonObject {
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
export function groupView(zone: Zone, pack: OldPackage, group: OldGroup): JsonObject {
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
export function ruleView(zone: Zone, pack: OldPackage, { group, rule }: Placed): JsonObject {
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

/** Whether the group is on. */
export function groupMode(zone: Zone, group: OldGroup): string {
  return zone.waf.groupModes[group.id] ?? "on";
}

/** The rule's mode. */
export function ruleMode(zone: Zone, rule: OldRule): string {
  return zone.waf.ruleModes[rule.id] ?? rule.usualMode;
}

/** Sets sensitivity and action. Throws 1027 for a traditional package: it has no attributes (docs/service.md#previous-waf). */
export function editPackage(zone: Zone, pack: OldPackage, body: JsonObject): void {
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

/** Sets the mode of a rule; the default mode removes the override. */
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
