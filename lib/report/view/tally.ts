import type { Action, Change, ZonePlan } from "../../plan/change.ts";
import { adoptsAndUpdates, onlyLetsGo } from "../../plan/write.ts";
import type { WriteAction } from "../../state/record.ts";

/** The effect of a planned change. An adoption that changes nothing counts separately from one that sends something. */
export type Planned = WriteAction | "adopt_and_update";

/** How many changes a plan would apply, by action, and how many it would not. */
export interface Tally {
  readonly planned: Readonly<Record<Planned, number>>;
  /** Objects that stay managed and release fields. */
  readonly letGo: number;
  /** Objects with held changes or fields. */
  readonly held: number;
  readonly refused: Stopped;
  /** Objects that were changed since the plan, or for which something else was approved. */
  readonly contested: Stopped;
  /** Hostnames that move to another entry: they wait for it, or are deleted because it serves traffic. */
  readonly moving: number;
  readonly unchanged: number;
  /** Live hostnames that are neither declared nor tracked. */
  readonly foreign: number;
  /** Hostnames that the service deleted by itself. */
  readonly expired: number;
  /** Hostnames that the application deleted. */
  readonly gone: number;
}

/** How many changes are not applied, and how many of them would delete an object. */
export interface Stopped {
  readonly all: number;
  readonly deletions: number;
  readonly replacements: number;
}

/** Counts the changes of some zones. A blocked or conflicting change counts only as such, because it is not applied. */
export function tally(zones: readonly ZonePlan[]): Tally {
  const planned = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, adopt_and_update: 0, forget: 0 };
  const others = { letGo: 0, held: 0, moving: 0, unchanged: 0, foreign: 0, expired: 0, gone: 0 };
  const changes = zones.flatMap((zone) => zone.changes);
  for (const change of changes) count(change, planned, others);
  for (const zone of zones) {
    others.unchanged += zone.counts.byAction["no-op"];
    others.foreign += zone.counts.foreign;
    others.expired += zone.counts.expired;
    others.gone += zone.gone.length;
  }
  const isContested = ({ refused }: Change): boolean => refused?.contested !== undefined;
  return {
    planned,
    ...others,
    refused: stopped(changes.filter((change) => change.refused && !isContested(change))),
    contested: stopped(changes.filter(isContested)),
  };
}

function stopped(changes: readonly Change[]): Stopped {
  const counted = (wanted: Action): number => changes.filter(({ action }) => action === wanted).length;
  return { all: changes.length, deletions: counted("delete"), replacements: counted("replace") };
}

function count(
  change: Change,
  planned: Record<Planned, number>,
  others: { letGo: number; held: number; moving: number },
): void {
  if (change.movesTo !== undefined) others.moving += 1;
  if (change.refused !== undefined) return;
  if (onlyLetsGo(change)) others.letGo += 1;
  else if (adoptsAndUpdates(change)) planned.adopt_and_update += 1;
  else if (change.action !== "held" && change.action !== "no-op") planned[change.action] += 1;
  if (change.action === "held" || change.held !== undefined) others.held += 1;
}
