import type { Address } from "../../core/brand.ts";
import type { Cause } from "../../core/diff.ts";
import type { Change, FailedZone, ZonePlan } from "../../plan/change.ts";
import type { DriftCoverage, DriftJudgement } from "../../plan/drift.ts";
import type { Selection } from "../../plan/inputs.ts";
import type { RunHeader } from "../../state/run-record.ts";
import type { Holding } from "../../state/lock.ts";

/** What a report of drift says of one zone. */
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

/** What was found in a project, and the zones that could not be checked. */
export interface FoundView {
  readonly project: string;
  readonly zones: readonly DriftView[];
  readonly failed: readonly FailedZone[];
}

/** What was looked at, where that is a part. */
export type LookedAt = Pick<Selection, "target" | "exclude">;

/** Whether the run that was changing objects is known to be over. */
export function isStopped({ holding }: DriftView): boolean {
  return holding === undefined || holding.isAlive === false;
}

/** Whether it may be over, and nothing here can tell. */
export function maybeStopped({ holding }: DriftView): boolean {
  return holding !== undefined && holding.isAlive === undefined;
}

/** How many leaves, rules and whole objects somebody made by hand as the YAML wants them. */
export function adoptedCount(zones: readonly Pick<DriftView, "judgement">[]): number {
  const all = zones.flatMap(({ judgement }) => judgement.adopted.filter(({ isUntracked }) => !isUntracked));
  return all.reduce((sum, { leaves, rules }) => sum + Math.max(1, leaves.length + rules.length), 0);
}

/** The objects that are live as the YAML wants them, and that the state does not know yet. */
export function untrackedOf({ judgement }: Pick<DriftView, "judgement">): readonly Address[] {
  return judgement.adopted.flatMap(({ address, isUntracked }) => (isUntracked ? [address] : []));
}

/** The changes that the configuration asks for, at least in part, of objects that nobody made by hand. */
export function pendingOf({ section, judgement }: Pick<DriftView, "section" | "judgement">): readonly Change[] {
  const others = new Set([
    ...judgement.underWay.map(({ address }) => address),
    ...judgement.adopted.flatMap(({ address, leaves, rules }) => (leaves.length + rules.length === 0 ? [address] : [])),
  ]);
  return section.changes.filter((change) => !others.has(change.address) && isPending(change));
}

/** Whether the YAML changed a value, even if somebody else did too. */
export function isOfConfig(cause: Cause): boolean {
  return cause === "config" || cause === "both";
}

function isPending(change: Change): boolean {
  if (change.action === "held") return false;
  const causes = [...change.leaves, ...change.rules].map(({ cause }) => cause);
  return causes.length === 0 ? change.cause === "config" : causes.some(isOfConfig);
}
