import { bucketed } from "../../core/lists.ts";
import { listed } from "../../core/words.ts";
import { defined } from "../../core/json.ts";
import type { Address, Digest } from "../../core/brand.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type {
  Action,
  ApprovedAs,
  Change,
  Cost,
  FailedZone,
  Pending,
  Plan,
  Since,
  ZonePlan,
} from "../../plan/change.ts";
import { totalCost } from "../../plan/cost.ts";
import {
  type ChangeGroup,
  groupChanges,
  type HeldGroup,
  type LetGoGroup,
  shareChanges,
  shareHeld,
  shareLetGo,
} from "./group.ts";
import { foundByChange, foundViews } from "./found.ts";
import { dangersOf, type HazardView, viewHazards } from "./hazards.ts";
import { hazardsSince, isPending } from "../../plan/since.ts";
import { adoptsAndUpdates, onlyLetsGo } from "../../plan/write.ts";
import type { WriteAction } from "../../state/journal-record.ts";

/** What every format of a plan shows, in reading order: the verdict and the hazards, then zone by zone. */
export interface PlanView extends ChangesByZone {
  readonly project: string;
  readonly hash: Digest;
  /** The approval, if this plan is only a part of it. */
  readonly approval?: ApprovedAs;
  readonly tally: Tally;
  /** The hazards of all zones, each with its count and up to 20 names. */
  readonly hazards: readonly HazardView[];
  /** Changes made outside Zoneform that the plan repairs or waits to repair. */
  readonly found: readonly HazardView[];
  /** Zones that could not be planned. */
  readonly failed: readonly FailedZone[];
  readonly cost: Cost;
  /** How many runners share the budget. */
  readonly runners: number;
  /** Nothing is applied, blocked or held. */
  readonly isEmpty: boolean;
  /** What was pending before this branch; then the hazards and changes above are only those of the branch. */
  readonly since?: SinceView;
}

/** The part of a plan that was pending before this branch. */
export interface SinceView extends Omit<Since, "pending">, ChangesByZone {
  readonly branch: Tally;
  readonly before: Tally;
  readonly hazards: readonly HazardView[];
}

/** The changes of a plan by zone. */
export interface ChangesByZone {
  /** What reads the same in several zones; their own sections leave it out. */
  readonly shared: Groups;
  readonly zones: readonly ZoneView[];
}

/** Groups of changes that an apply carries out, now or later. */
export interface Groups {
  readonly changes: readonly ChangeGroup[];
  readonly held: readonly HeldGroup[];
  readonly letGo: readonly LetGoGroup[];
}

/** The section of one zone. */
export interface ZoneView extends Groups {
  readonly zone: ZonePlan["zone"];
  readonly tally: Tally;
  readonly refused: readonly ChangeGroup[];
  /** Changes for which something else was approved. */
  readonly contested: readonly ChangeGroup[];
  readonly findings: readonly FindingGroup[];
  /** Hostnames that the application deleted. */
  readonly gone: readonly Address[];
}

/** Findings of one code. */
export interface FindingGroup {
  readonly code: string;
  readonly findings: readonly Diagnostic[];
}

/** Builds the model of a plan. Pure, and linear in the number of changes. */
export function planView(plan: Plan): PlanView {
  const { own, before } = splitSince(plan);
  return {
    project: plan.project,
    hash: plan.hash,
    ...defined({ approval: plan.approval }),
    tally: tally(plan.zones),
    hazards: viewHazards(dangersOf({ zones: plan.since ? hazardousZones(plan.zones, plan.since, "branch") : own })),
    found: foundViews(plan.zones.flatMap(({ changes }) => changes).flatMap(foundByChange)),
    ...viewZones(own, plan.zones),
    failed: plan.failed ?? [],
    cost: totalCost(plan),
    runners: plan.budget.runners ?? 1,
    isEmpty: plan.zones.every((zone) => zone.changes.length === 0),
    ...defined({ since: plan.since && sinceView(plan.zones, plan.since, own, before) }),
  };
}

/** The zones with the changes of this branch, and with those that were pending before. */
function splitSince({ zones, since }: Plan): {
  readonly own: readonly ZonePlan[];
  readonly before: readonly ZonePlan[];
} {
  if (since === undefined) return { own: zones, before: [] };
  return {
    own: zones.map((zone) => ({
      ...zone,
      changes: zone.changes.filter((change) => !isPending(since, change)).map((change) => withPart(since, change)),
    })),
    before: zones.map((zone) => ({
      ...zone,
      changes: zone.changes.filter((change) => isPending(since, change)),
      findings: [],
      gone: [],
    })),
  };
}

/** A change with a note that says which part of it was pending before. */
function withPart({ pending }: Since, change: Change): Change {
  const part = pending.get(change.address);
  if (part === undefined) return change;
  const note = `by this branch: ${listed(part.branch, MOST_PARTS)}; pending before: ${listed(part.before, MOST_PARTS)}`;
  return { ...change, notes: [...change.notes, note] };
}

/** How many fields and rules a note names before counting the rest. */
const MOST_PARTS = 3;

/** The zones with the hazards of one side. Foreign rules were there before. */
function hazardousZones(zones: readonly ZonePlan[], since: Since, side: keyof Pending): readonly ZonePlan[] {
  return zones.map(({ watch, ...zone }) => ({
    ...zone,
    ...(side === "before" ? defined({ watch }) : {}),
    changes: zone.changes.map((change) => {
      const { hazards, hazardDetails = [], observed = [] } = hazardsSince(since, change, side);
      return { ...change, hazards, hazardDetails, observed };
    }),
  }));
}

function sinceView(
  zones: readonly ZonePlan[],
  since: Since,
  own: readonly ZonePlan[],
  before: readonly ZonePlan[],
): SinceView {
  const { pending: _pending, ...compared } = since;
  return {
    ...compared,
    branch: tally(own),
    before: tally(before),
    hazards: viewHazards(dangersOf({ zones: hazardousZones(zones, since, "before") })),
    ...viewZones(before),
  };
}

/** The sections of a plan, also those of what was pending before this branch. */
export function everySection(view: PlanView): readonly ChangesByZone[] {
  return view.since === undefined ? [view] : [view, view.since];
}

/** The sections of zones, and what several of them have in common. `whole` are the same zones with all of their changes. */
function viewZones(zones: readonly ZonePlan[], whole: readonly ZonePlan[] = zones): ChangesByZone {
  const isContested = ({ refused }: Change): boolean => refused?.contested !== undefined;
  const isRefused = (change: Change): boolean => change.refused !== undefined;
  const applied = zones.map((zone) => zone.changes.filter((change) => !isRefused(change)));
  const [changes, held, letGo] = [shareChanges(applied), shareHeld(applied), shareLetGo(applied)];
  return {
    shared: { changes: changes.shared, held: held.shared, letGo: letGo.shared },
    zones: zones.map((zone, index) => ({
      zone: zone.zone,
      tally: tally([whole[index] ?? zone]),
      // A guard judges each zone by itself, so what it blocks stays there.
      refused: groupChanges(zone.changes.filter((change) => isRefused(change) && !isContested(change))),
      contested: groupChanges(zone.changes.filter(isContested)),
      changes: changes.own[index] ?? [],
      held: held.own[index] ?? [],
      letGo: letGo.own[index] ?? [],
      findings: groupFindings(zone.findings),
      gone: zone.gone,
    })),
  };
}

/** Findings by code, in the order of their first one. */
export function groupFindings(findings: readonly Diagnostic[]): FindingGroup[] {
  const byCode = bucketed(findings, ({ code }) => code);
  return [...byCode].map(([code, group]) => ({ code, findings: group }));
}

/** The effect of a planned change. An adoption that changes nothing counts separately from one that sends something. */
type Planned = WriteAction | "adopt_and_update";

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
