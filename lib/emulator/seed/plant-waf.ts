import type { Core } from "../core.ts";
import { InputError } from "../input.ts";
import { asText, copy, isObject, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { groupNamed, ruleNamed } from "../waf/catalogue.ts";
import { addFirewallRule, readFirewallRule } from "../waf/firewall-rules.ts";
import { readOverride } from "../waf/overrides.ts";
import { editGroup, editRule } from "../waf/packages.ts";
import { addPageRule, readPageRule } from "../waf/page-rules.ts";
import { usualWaf, type MigrationState } from "../waf/previous-waf.ts";
import type { SeedPageRule, SeedWaf } from "./shape.ts";

/** Replaces the zone's managed rules by those of the seed. Throws an InputError, or the ServiceError of what the API would refuse. */
export function plantWaf(core: Core, zone: Zone, seed: SeedWaf): void {
  const { waf } = zone;
  Object.assign(waf, usualWaf(stateOf(zone, seed), core.clock.now()), { isOn: seed.enabled ?? true });
  const { sensitivity = "default" } = seed.owasp ?? {};
  waf.sensitivity = sensitivity === "default" ? null : sensitivity;
  waf.actionMode = seed.owasp?.action_mode ?? waf.actionMode;
  plantModes(zone, seed);
  const newId = (given: unknown): string => (typeof given === "string" ? given : core.ids.hex(32));
  for (const override of seed.uri_overrides ?? [])
    waf.overrides.push({ ...readOverride(override), id: newId(override["id"]) });
  for (const rule of seed.firewall_rules ?? [])
    addFirewallRule(core, zone, readFirewallRule(withFilter(rule)), asText(rule["id"]));
  // The first page rule is added last, because each new one gets the highest priority.
  for (const rule of (seed.page_rules ?? []).toReversed())
    addPageRule(core, zone, readPageRule(pageRuleBody(rule)), rule.id);
}

function stateOf(zone: Zone, seed: SeedWaf): MigrationState {
  const state = seed.migration ?? (zone.plan === "free" ? "default" : "start");
  if (zone.plan === "free" && state !== "default")
    throw new InputError({
      at: "migration",
      problem: `is ${state}, and a zone on the free plan never had the previous managed rules`,
      remedy: "write default, or another plan",
    });
  if (state === "validation" && zone.plan !== "enterprise")
    throw new InputError({
      at: "migration",
      problem: "is validation, which is for the Enterprise plan only",
      remedy: "write start, or plan: enterprise",
    });
  return state;
}

function plantModes(zone: Zone, seed: SeedWaf): void {
  for (const [name, mode] of Object.entries(seed.groups ?? {})) {
    const group = groupNamed(name);
    if (group === undefined) throw noSuch("groups", name, "group");
    editGroup(zone, group, { mode });
  }
  for (const [id, mode] of Object.entries(seed.rules ?? {})) {
    const found = ruleNamed(id);
    if (found === undefined) throw noSuch("rules", id, "rule");
    editRule(zone, found.pack, found.rule, { mode });
  }
}

function noSuch(member: string, key: string, what: string): InputError {
  return new InputError({
    at: `${member}[${JSON.stringify(key)}]`,
    problem: `is not a ${what} of the previous managed rules`,
    remedy: `list them with GET /zones/:zone/firewall/waf/packages/:package/${member}`,
  });
}

function withFilter({ expression, ...rule }: JsonObject): JsonObject {
  if (expression === undefined) return rule;
  return { ...rule, filter: { ...(isObject(rule["filter"]) ? rule["filter"] : {}), expression } };
}

function pageRuleBody(rule: SeedPageRule): JsonObject {
  const actions = copy([...(rule.actions ?? [])]);
  if (rule.waf !== undefined) actions.push({ id: "waf", value: rule.waf });
  if (rule.disable_security === true) actions.push({ id: "disable_security" });
  return {
    targets: [{ target: "url", constraint: { operator: "matches", value: rule.url } }],
    actions,
    priority: rule.priority ?? null,
    status: rule.status ?? "active",
  };
}
