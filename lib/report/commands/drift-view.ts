import type { Address } from "../../core/brand.ts";
import type { Cause } from "../../core/diff.ts";
import type { Change, FailedZone, ZonePlan } from "../../plan/change.ts";
import type { DriftCoverage, DriftJudgement } from "../../plan/drift.ts";
import type { Selection } from "../../plan/inputs.ts";
import type { RunHeader } from "../../state/run-record.ts";
import type { Holding } from "../../state/lock.ts";

/** What a drift report says about one zone. */
export interface DriftView {
  readonly section: ZonePlan;
  readonly judgement: DriftJudgement;
  /** How much was judged. */
  readonly coverage: DriftCoverage;
  /** Who holds the zone's lock. */
  readonly holding?: Holding;
  /** The newest run that changed something. */
  readonly lastRun?: Pick<RunHeader, "run" | "ended" | "operation">;
  /** The newest run, if it was an undo that the next apply redoes. */
  readonly undo?: string;
}

/** The findings of a project, and the zones that could not be checked. */
export interface FoundView {
  readonly project: string;
  readonly zones: readonly DriftView[];
  readonly failed: readonly FailedZone[];
}

/** The part that was checked, if not everything was. */
export type LookedAt = Pick<Selection, "target" | "exclude">;

/** Whether the run that was changing objects is known to have ended. */
export function isStopped({ holding }: DriftView): boolean {
  return holding === undefined || holding.isAlive === false;
}

/** Whether it may have ended; from here we cannot tell. */
export function maybeStopped({ holding }: DriftView): boolean {
  return holding !== undefined && holding.isAlive === undefined;
}

/** How many fields, rules and whole objects were changed by hand to what the YAML declares. */
export function adoptedCount(zones: readonly Pick<DriftView, "judgement">[]): number {
  const all = zones.flatMap(({ judgement }) => judgement.adopted.filter(({ isUntracked }) => !isUntracked));
  return all.reduce((sum, { leaves, rules }) => sum + Math.max(1, leaves.length + rules.length), 0);
}

/** The objects that are live as declared, but not in the state yet. */
export function untrackedOf({ judgement }: Pick<DriftView, "judgement">): readonly Address[] {
  return judgement.adopted.flatMap(({ address, isUntracked }) => (isUntracked ? [address] : []));
}

/**
 * The changes that the configuration asks for, at least in part, except of objects that were changed by hand to what it
 * declares.
 */
export function pendingOf({ section, judgement }: Pick<DriftView, "section" | "judgement">): readonly Change[] {
  const others = new Set([
    ...judgement.underWay.map(({ address }) => address),
    ...judgement.adopted.flatMap(({ address, leaves, rules }) => (leaves.length + rules.length === 0 ? [address] : [])),
  ]);
  return section.changes.filter((change) => !others.has(change.address) && isPending(change));
}

/** Whether the YAML changed a value, even if live was changed too. */
export function isOfConfig(cause: Cause): boolean {
  return cause === "config" || cause === "both";
}

function isPending(change: Change): boolean {
  if (change.action === "held") return false;
  const causes = [...change.leaves, ...change.rules].map(({ cause }) => cause);
  return causes.length === 0 ? change.cause === "config" : causes.some(isOfConfig);
}
