import { APPROVAL_SPENT, CHANGED_SINCE_APPROVAL, NOT_AMONG_APPROVED } from "../approval/approval.ts";
import { cutsOff, needsCarrier } from "../plan/carriers.ts";
import type { Change } from "../plan/change.ts";
import { toEnded, type Ended, type Outcome, type Performed } from "./outcome.ts";

/** What a walk calls. */
export interface Steps {
  /** Why no further change may be started, or undefined. */
  isStopped(): string | undefined;
  started(change: Change): void;
  ended(ended: Ended): void;
  /** Never throws. `stops` says why no further change may be started. */
  perform(change: Change): Promise<Performed>;
}

/**
 * Starts changes in their order, several at once, but only of one kind and direction at a time: the next kind starts
 * when the previous one has ended. Returns an ending for each change, even if it was never started.
 */
export async function walk(changes: readonly Change[], parallelism: number, steps: Steps): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  const failed = new Set<string>();
  const unmade = new Set<string>();
  const staying = new Set<string>();
  let stopped: string | undefined;
  for (const group of groups(changes)) {
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let change = group[next++]; change !== undefined; change = group[next++]) {
        // A blocked change takes no time, and no later run would start it either.
        const because = change.refused
          ? undefined
          : (stopped ?? steps.isStopped() ?? blockedBy(change, failed) ?? keptBecause(change, unmade, staying));
        const performed =
          because === undefined ? await start(change) : { outcome: { status: "not-started", because } as const };
        if (isUncertain(performed.outcome)) failed.add(change.kind);
        if (isUnmade(change, performed.outcome)) unmade.add(change.kind);
        if (change.action === "delete" && performed.outcome.status !== "done") staying.add(change.kind);
        if (performed.stops !== undefined) stopped ??= performed.stops;
        const { outcome, id } = performed;
        const end = toEnded(change, outcome, id);
        ended.push(end);
        steps.ended(end);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallelism, group.length) }, worker));
  }
  return inPlanOrder(ended, changes);

  function start(change: Change): Promise<Performed> {
    if (!change.refused) steps.started(change);
    return steps.perform(change);
  }
}

/**
 * Changes that may be under way together: neighbours of one kind that are all deletions, or none of them. The first
 * replacement of a kind goes alone: if it cannot be created again, the others are not deleted.
 */
function groups(changes: readonly Change[]): Change[][] {
  const found: Change[][] = [];
  const tried = new Set<string>();
  let name: string | undefined;
  for (const change of changes) {
    const isFirstOfReplacements = change.action === "replace" && !tried.has(change.kind);
    if (isFirstOfReplacements) tried.add(change.kind);
    const next = isFirstOfReplacements ? "alone" : `${change.kind} ${change.action === "delete"}`;
    if (next !== name || isFirstOfReplacements) found.push([]);
    name = next;
    found.at(-1)?.push(change);
  }
  return found;
}

/** The conflicts that prevent creating an object although its name is free. */
const BEFORE_ITS_WRITE: ReadonlySet<string> = new Set([APPROVAL_SPENT, CHANGED_SINCE_APPROVAL]);

/**
 * Whether a planned object that may be the successor of a deleted one is missing. If another object took its name, it
 * exists; if it was not approved, it was never going to be created.
 */
function isUnmade({ action }: Change, outcome: Outcome): boolean {
  if (action === "delete") return false;
  if (isUncertain(outcome)) return true;
  if (action !== "create") return false;
  if (outcome.status === "refused") return outcome.refused.code !== NOT_AMONG_APPROVED;
  if (outcome.status === "conflict") return BEFORE_ITS_WRITE.has(outcome.diagnostic.code);
  return outcome.status === "not-started";
}

/** Whether the change's effect cannot be relied on. */
function isUncertain({ status }: Outcome): boolean {
  return status === "failed" || status === "unknown" || status === "unconfirmed";
}

/** A change that needs another object waits for it. */
function blockedBy(change: Change, failed: ReadonlySet<string>): string | undefined {
  const carrier = needsCarrier(change);
  return carrier !== undefined && failed.has(carrier) ? "the fallback origin could not be set" : undefined;
}

/**
 * A renamed object is a create and a delete: the old one stays until the new one exists, and so does the origin that it
 * uses.
 */
function keptBecause(change: Change, unmade: ReadonlySet<string>, staying: ReadonlySet<string>): string | undefined {
  const carried = cutsOff(change);
  if (carried !== undefined && staying.has(carried) && !change.refused)
    return "hostnames that use it could not be deleted";
  if (change.action !== "delete" || !unmade.has(change.kind)) return undefined;
  return "others of its kind could not be created or changed; nothing is deleted until they can";
}

function inPlanOrder(ended: readonly Ended[], changes: readonly Change[]): readonly Ended[] {
  const place = new Map<string, number>(changes.map(({ address }, index) => [address, index]));
  return [...ended].sort((left, right) => (place.get(left.address) ?? 0) - (place.get(right.address) ?? 0));
}
