import { type DiagnosticDetails, error, problem } from "../core/diagnostic.ts";
import { formatPath, type Path } from "../core/json.ts";
import type { LeafConflict, Refused } from "../plan/change.ts";
import { allLeaves } from "../plan/write.ts";
import { movedLeaves } from "../approval/contested.ts";
import type { ChangedMeanwhile, Overwritten } from "../kinds/traits/remote.ts";
import type { Live } from "../kinds/live.ts";
import { ApiError } from "../service/errors.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "./outcome.ts";

type Conflict = Extract<Outcome, { readonly status: "conflict" }>;

/**
 * The object is no longer as it was when the change was planned. Shows the planned, the live and the declared values.
 */
export function conflict(attempt: Attempt, live: Live, what = "it was changed after the plan was made"): Conflict {
  return conflictOf(attempt, problem("changed-since-plan", { message: what }), fieldsOf(attempt, live));
}

/** A step of several requests found that the object had changed before one of them. */
export function changedMeanwhile(attempt: Attempt, { live, hasWritten }: ChangedMeanwhile): Outcome {
  const outcome = conflict(attempt, live, "it was changed while it was being applied");
  return hasWritten ? { ...outcome, hasWritten: "part" } : outcome;
}

/** The object is gone, although the application does not own it. */
export function goneSince(attempt: Attempt): Outcome {
  return conflictOf(attempt, problem("gone-since-plan", {}));
}

/** Another run has written at this address since: the state now has another object there, or none. */
export function anotherSince(attempt: Attempt): Outcome {
  const message = "another run changed, replaced or released it after the plan was made";
  return conflictOf(attempt, problem("changed-since-plan", { message }));
}

/** An object that was created after the plan has the name. */
export function existsAlready(attempt: Attempt, thrown: unknown): Outcome | undefined {
  const { refusesDuplicates: answer } = attempt.kind;
  const isDuplicate =
    answer && thrown instanceof ApiError && thrown.family === answer.family && thrown.has(answer.code);
  return isDuplicate ? conflictOf(attempt, problem("exists-already", {})) : undefined;
}

/** A foreign write came between our re-read and our write. Shows what it wrote, which is no longer live. */
export function overwrote({ change }: Attempt, before: Live, { version, live }: Overwritten): Outcome {
  const shown = live
    ? "its version is shown here"
    : "Cloudflare no longer returns that version; its audit log says who wrote it";
  const remedy = `restore what is missing: ${shown}; Cloudflare keeps it as version ${version}`;
  return {
    status: "conflict",
    diagnostic: error(problem("overwrote-another-write", { version }, { address: change.address, remedy })),
    fields: live ? movedLeaves({ ...change, expected: before.values }, live.values) : [],
    hasWritten: "all",
  };
}

/** A different change was approved for this object. */
export function notAsApproved(
  attempt: Attempt,
  { code, message, remedy }: Refused,
  fields: readonly LeafConflict[],
): Outcome {
  return conflictOf(attempt, { code, message, remedy }, fields);
}

/** A secret was changed between plan and apply. */
export function secretChanged(attempt: Attempt, path: Path): Outcome {
  const secret = problem("secret-changed-since-plan", { field: formatPath(path) });
  return conflictOf(attempt, secret, [{ path, sensitive: true }]);
}

function conflictOf({ change }: Attempt, details: DiagnosticDetails, fields: readonly LeafConflict[] = []): Conflict {
  return { status: "conflict", diagnostic: error({ ...details, address: change.address }), fields };
}

function fieldsOf({ change, kind }: Attempt, live: Live): readonly LeafConflict[] {
  const leaves = change.action === "delete" || change.action === "replace" ? [] : allLeaves(change);
  return movedLeaves(change, kind.guarded(live, leaves));
}
