import type { DeletionLimit } from "../config/desired.ts";
import type { Kind } from "../kinds/kind.ts";
import { KINDS } from "../kinds/registry.ts";
import { successorKey } from "../kinds/retired.ts";
import type { StateObject } from "../state/state.ts";
import type { Change, Refused } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/** The code of a block that approving the plan's hash lifts (`apply --approve HASH`). */
export const DELETION_LIMIT = "deletion-limit";

/**
 * Refuses the deletions and replacements of a kind where there are more of them than the zone's limit allows. A share
 * is a share of few objects as well: a limit that began to count at ten would be none for a zone of nine. A destruction
 * that was asked for is not limited.
 */
export function limitDeletions(input: PlanInput, changes: readonly Change[]): readonly Change[] {
  if (input.isDestroy) return changes;
  return KINDS.reduce((judged, kind) => limitKind(input, kind, judged), changes);
}

function limitKind({ desired, state }: PlanInput, kind: Kind, changes: readonly Change[]): readonly Change[] {
  const limit = desired.deletionLimits.get(kind.name);
  const taken = new Set(changes.filter((change) => change.kind === kind.name && takesAway(kind, change)));
  if (!limit || taken.size === 0) return changes;
  const declared = new Set(desired.objects.flatMap((object) => (object.kind === kind.name ? [object.key] : [])));
  const going = new Set([...taken].map(({ key }) => key));
  const tracked = [...(state?.objects.values() ?? [])].filter(
    (object) => object.kind === kind.name && mayGo(kind, object, declared, going),
  ).length;
  // What is replaced unseen, live and not tracked yet, is taken away as well.
  const all = Math.max(tracked, taken.size);
  if (taken.size <= limit.count && taken.size <= limit.share * all) return changes;
  const refused = overLimit(taken.size, all, `${kind.name.replaceAll("_", " ")}s`, limit);
  return changes.map((change) => (taken.has(change) ? { ...change, refused } : change));
}

function takesAway(kind: Kind, { action, refused, replaced }: Change): boolean {
  if (refused) return false;
  // An object that is replaced by creating first goes when its successor serves: nothing is missing then.
  if (kind.replacement === "create-first") return action === "delete" && !replaced;
  return action === "delete" || action === "replace";
}

/** Whether a plan could take the object away: what none could would only make the share of the others look small. */
function mayGo(
  kind: Kind,
  { key, undeclared }: StateObject,
  declared: ReadonlySet<string>,
  going: ReadonlySet<string>,
): boolean {
  // What only policies know is never deleted, and replaced no sooner than it is declared.
  if (undeclared) return declared.has(key);
  // What waits for its successor to serve is the same object once more.
  return kind.replacement !== "create-first" || successorKey(key) === undefined || going.has(key);
}

function overLimit(taken: number, all: number, noun: string, { share, count }: DeletionLimit): Refused {
  const percent = (part: number): string => `${Number((part * 100).toFixed(2))}%`;
  return {
    code: DELETION_LIMIT,
    message: `deletes ${taken} of ${all} managed ${noun} (${percent(taken / all)}); deletion_limits allows ${percent(share)}, and at most ${count}, in one plan`,
    remedy:
      "raise deletion_limits in the YAML, or review the deletions and apply this plan with --approve and its hash",
  };
}
