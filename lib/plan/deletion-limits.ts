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
 * Blocks a kind's deletions and replacements if there are more of them than the zone's limit allows. Percentages count
 * for few objects too: a limit that began at ten objects would not protect a zone of nine. `destroy` has no limit.
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
  // An object that is replaced before it was ever tracked is deleted too.
  const all = Math.max(tracked, taken.size);
  if (taken.size <= limit.count && taken.size <= limit.share * all) return changes;
  const refused = overLimit(taken.size, all, `${kind.name.replaceAll("_", " ")}s`, limit);
  return changes.map((change) => (taken.has(change) ? { ...change, refused } : change));
}

function takesAway(kind: Kind, { action, refused, replaced }: Change): boolean {
  if (refused) return false;
  // With create-first, the old object is deleted after its successor serves traffic, so nothing is lost.
  if (kind.replacement === "create-first") return action === "delete" && !replaced;
  return action === "delete" || action === "replace";
}

/**
 * Whether a plan could delete the object. Others do not count in the total, because they would only make the share look
 * smaller.
 */
function mayGo(
  kind: Kind,
  { key, undeclared }: StateObject,
  declared: ReadonlySet<string>,
  going: ReadonlySet<string>,
): boolean {
  // Objects that only policies match are never deleted, and only replaced once they are declared.
  if (undeclared) return declared.has(key);
  // An object that waits for its successor would count twice.
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
