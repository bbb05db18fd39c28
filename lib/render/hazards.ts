import type { Address } from "../core/brand.ts";
import type { Action, Change, Plan } from "../plan/change.ts";
import type { Hazard, KindName, RuleChange } from "../resources/kind.ts";
import { HAZARDS } from "./marks.ts";

/** One hazard and everything in the plan that has it. */
export interface HazardView {
  readonly hazard: Hazard;
  readonly count: number;
  readonly affected: readonly Affected[];
}

/** Objects with a hazard, all of one kind and action; one by itself where it loses rules of somebody else. */
export interface Affected {
  readonly action: Action;
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  /** A guard refused it, or it waits: it does not happen in this run. */
  readonly isStopped: "refused" | "held" | undefined;
  /** The rules of somebody else that would go. */
  readonly lostRules: readonly RuleChange[];
}

/** The head of every format: each hazard with its count and its objects, by kind and action (product semantics 6). */
export function hazardViews(plan: Plan): HazardView[] {
  const changes = plan.zones.flatMap((zone) => zone.changes).filter((change) => change.hazards.length > 0);
  return HAZARDS.map((hazard) => {
    const having = changes.filter((change) => change.hazards.includes(hazard));
    return { hazard, count: having.length, affected: affected(hazard, having) };
  }).filter(({ count }) => count > 0);
}

function affected(hazard: Hazard, changes: readonly Change[]): Affected[] {
  const groups = new Map<string, { first: Change; addresses: Address[] }>();
  for (const change of changes) {
    const shared = `${change.kind} ${change.action} ${stopOf(change) ?? ""}`;
    const key = hazard === "loses-foreign-rule" ? change.address : shared;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: change, addresses: [change.address] });
    else group.addresses.push(change.address);
  }
  return [...groups.values()].map(({ first, addresses }) => ({
    action: first.action,
    kind: first.kind,
    addresses,
    isStopped: stopOf(first),
    lostRules: hazard === "loses-foreign-rule" ? first.rules.filter(isLost) : [],
  }));
}

function stopOf(change: Change): "refused" | "held" | undefined {
  if (change.refused !== undefined) return "refused";
  return change.action === "held" ? "held" : undefined;
}

function isLost(rule: RuleChange): boolean {
  return rule.foreign === true && rule.action === "remove";
}
