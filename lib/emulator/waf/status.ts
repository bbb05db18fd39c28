import { timestamp } from "../clock.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { isEntitled, MANAGED_PHASE } from "../rulesets/managed.ts";
import { entryPoint } from "../rulesets/find.ts";
import { currentVersion, type Ruleset } from "../rulesets/ruleset.ts";
import type { Zone } from "../store.ts";
import { effectOf, ruleFor } from "./page-rules.ts";
import { hasPrevious, type Waf } from "./previous-waf.ts";

/** What `waf_migration/status` answers (docs/service.md#waf-migration). */
export function statusView(zone: Zone, now: number): JsonObject {
  const { migration } = zone.waf;
  return {
    created: timestamp(migration.createdAt),
    migration_state: migration.state,
    new_waf_status: enabled(runsNew(zone, now)),
    old_waf_status: enabled(runsPrevious(zone.waf)),
    source: isUntouched(zone.waf) ? "defaults" : "zone",
  };
}

/** Whether the previous managed rules are enabled in the zone. */
function runsPrevious(waf: Waf): boolean {
  return hasPrevious(waf) && waf.isOn;
}

/** Whether new managed rules are enabled in the zone, and in force. They have no global switch: each ruleset is deployed separately. */
export function runsNew(zone: Zone, now: number): boolean {
  const { newFrom } = zone.waf.migration;
  const present = managedEntryPoint(zone);
  return present !== undefined && (newFrom === null || now >= newFrom) && deploysManaged(currentVersion(present).rules);
}

function managedEntryPoint({ rulesets }: Zone): Ruleset | undefined {
  return entryPoint({ rulesets, entryKind: "zone" }, MANAGED_PHASE);
}

/** Whether an enabled rule executes a managed ruleset. */
export function deploysManaged(rules: readonly JsonObject[]): boolean {
  return rules.some(({ action, enabled: isEnabled, action_parameters: parameters }) => {
    if (action !== "execute" || isEnabled === false || !isObject(parameters)) return false;
    const { id } = parameters;
    return typeof id === "string" && isEntitled(id, "enterprise") !== undefined;
  });
}

/** Whether nobody has changed the previous managed rules or begun the migration. `source` depends on it (inferred). */
function isUntouched(waf: Waf): boolean {
  if (waf.migration.state === "default") return true;
  return (
    waf.migration.state === "start" &&
    waf.migration.dueAt === null &&
    waf.isOn &&
    waf.sensitivity === null &&
    waf.actionMode === "challenge" &&
    [waf.groupModes, waf.ruleModes, waf.overrides].every((set) => Object.keys(set).length === 0)
  );
}

function enabled(is: boolean): string {
  return is ? "enabled" : "disabled";
}

/**
 * Which managed rules the edge runs, as the admin API shows it. If both versions run, the new one runs first
 * (docs/service.md#waf-migration). For a URL, its page rule counts too, but not for the new rules (docs/service.md#what-migrates).
 */
export function edgeView(zone: Zone, now: number, url: string | null): JsonObject {
  const pageRule = url === null ? undefined : ruleFor(zone.waf.pageRules, url);
  const effect = pageRule === undefined ? "none" : effectOf(pageRule);
  const isNew = runsNew(zone, now);
  return {
    ...statusView(zone, now),
    ready_to_update: zone.waf.migration.isReady,
    page_rule: pageRule?.id ?? null,
    runs: [...(isNew ? ["new"] : []), ...(runsPreviousFor(zone, effect) ? ["previous"] : [])],
    new_rules: isNew ? newRules(zone) : [],
  };
}

function runsPreviousFor(zone: Zone, effect: ReturnType<typeof effectOf>): boolean {
  const { waf } = zone;
  if (effect === "waf-on") return hasPrevious(waf);
  return effect === "none" && runsPrevious(waf);
}

/** The enabled rules of the entry point in their order, because a skip rule only affects rules behind it. */
function newRules(zone: Zone): Json[] {
  const present = managedEntryPoint(zone);
  const rules = present === undefined ? [] : currentVersion(present).rules;
  return rules
    .filter(({ enabled }) => enabled !== false)
    .map(({ action, expression, action_parameters: parameters }) => ({
      action: action ?? null,
      expression: expression ?? null,
      ruleset: isObject(parameters) ? (parameters["id"] ?? null) : null,
    }));
}
