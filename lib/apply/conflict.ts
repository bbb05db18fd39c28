import { problem } from "../core/problem.ts";
import { error } from "../core/diagnostic.ts";
import { formatPath, type Path } from "../core/json.ts";
import type { LeafConflict, Refused } from "../plan/change.ts";
import { allLeaves } from "../plan/write.ts";
import { movedLeaves } from "../approval/contested.ts";
import type { ChangedMeanwhile, Overwritten } from "../kinds/traits/remote.ts";
import type { Live } from "../kinds/live.ts";
import { ApiError } from "../service/errors.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "./outcome.ts";

/** A duplicate hostname (409, code 1406: docs/service.md#custom-hostname-error-codes). */
const DUPLICATE_HOSTNAME = 1406;
const REPLAN = "review the difference, then plan again";

/**
 * The object is no longer as it was when the change was planned. Shows the planned, the live and the declared values.
 */
export function conflict(attempt: Attempt, live: Live, what = "it was changed after the plan was made"): Outcome {
  return {
    status: "conflict",
    diagnostic: error({
      code: "changed-since-plan",
      message: what,
      remedy: REPLAN,
      address: attempt.change.address,
    }),
    fields: fieldsOf(attempt, live),
  };
}

/** A step of several requests found that the object had changed before one of them. */
export function changedMeanwhile(attempt: Attempt, { live, hasWritten }: ChangedMeanwhile): Outcome {
  const outcome = conflict(attempt, live, "it was changed while it was being applied");
  return outcome.status === "conflict" && hasWritten ? { ...outcome, hasWritten: "part" } : outcome;
}

/** The object is gone, although the application does not own it. */
export function goneSince({ change }: Attempt): Outcome {
  return {
    status: "conflict",
    diagnostic: error({
      code: "gone-since-plan",
      message: "it was deleted after the plan was made",
      remedy: REPLAN,
      address: change.address,
    }),
    fields: [],
  };
}

/** Another run has written at this address since: the state now has another object there, or none. */
export function anotherSince({ change }: Attempt): Outcome {
  return {
    status: "conflict",
    diagnostic: error({
      code: "changed-since-plan",
      message: "another run changed, replaced or released it after the plan was made",
      remedy: REPLAN,
      address: change.address,
    }),
    fields: [],
  };
}

/** An object that was created after the plan has the name. */
export function existsAlready({ change }: Attempt, thrown: unknown): Outcome | undefined {
  const isDuplicate =
    thrown instanceof ApiError && thrown.family === "custom_hostnames" && thrown.has(DUPLICATE_HOSTNAME);
  if (!isDuplicate) return undefined;
  return {
    status: "conflict",
    diagnostic: error({
      code: "exists-already",
      message: "it was created after the plan was made",
      remedy: "plan again: what is declared and live is adopted",
      address: change.address,
    }),
    fields: [],
  };
}

/** A foreign write came between our re-read and our write. Shows what it wrote, which is no longer live. */
export function overwrote({ change }: Attempt, before: Live, { version, live }: Overwritten): Outcome {
  const message = `version ${version} was written just before this write, which replaced it`;
  const shown = live
    ? "its version is shown here"
    : "Cloudflare no longer returns that version; its audit log says who wrote it";
  return {
    status: "conflict",
    diagnostic: error({
      code: "overwrote-another-write",
      message,
      remedy: `restore what is missing: ${shown}; Cloudflare keeps it as version ${version}`,
      address: change.address,
    }),
    fields: live ? movedLeaves({ ...change, expected: before.values }, live.values) : [],
    hasWritten: "all",
  };
}

/** A different change was approved for this object. */
export function notAsApproved(
  { change }: Attempt,
  { code, message, remedy }: Refused,
  fields: readonly LeafConflict[],
): Outcome {
  return { status: "conflict", diagnostic: error({ code, message, remedy, address: change.address }), fields };
}

/** A secret was changed between plan and apply. */
export function secretChanged({ change }: Attempt, path: Path): Outcome {
  return {
    status: "conflict",
    diagnostic: error(problem("secret-changed-since-plan", { field: formatPath(path) }, { address: change.address })),
    fields: [{ path, sensitive: true }],
  };
}

function fieldsOf({ change, kind }: Attempt, live: Live): readonly LeafConflict[] {
  const leaves = change.action === "delete" || change.action === "replace" ? [] : allLeaves(change);
  return movedLeaves(change, kind.guarded(live, leaves));
}
