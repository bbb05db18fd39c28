// The life of a change, in each of the actions (create.ts, update.ts, remove.ts, replace.ts, replace-ahead.ts), from top
// to bottom:
// 1. permit: no guard blocks it, and its secrets are the approved ones.
// 2. reread and compare: this try reads the object. If it is not as planned, nothing is sent.
// 3. intend: the intent is stored before the request is sent, so the next run finds what this one left open. If that
//    took long, check that the lock is still held, reread and compare again.
// 4. send: once per try. If the response is lost, we read the object; we do not repeat the request.
// 5. settle: the response or a read must show what was sent; then the result is recorded.
import { isFingerprint } from "../core/secret.ts";
import { equal, valueAt } from "../core/json.ts";
import type { ChangeTo } from "../plan/change.ts";
import { writeOf } from "../plan/write.ts";
import type { StateObject } from "../state/state.ts";
import { type Attempt, reread } from "./attempt.ts";
import { anotherSince, goneSince, notAsApproved, secretChanged } from "./conflict.ts";
import { createOrResume } from "./create.ts";
import { DONE, type Outcome, type Performed } from "./outcome.ts";
import { makeStateObject } from "./settle.ts";
import { remove } from "./remove.ts";
import { replace } from "./replace.ts";
import { replaceAhead } from "./replace-ahead.ts";
import { update } from "./update.ts";

/** Applies one change, by its action. Throws what the client throws; if a response was lost, only after reading. */
export async function perform(attempt: Attempt): Promise<Performed> {
  const { change, kind } = attempt;
  const refusal = refuse(attempt);
  if (refusal) return { outcome: refusal };
  switch (change.action) {
    case "create":
      return createOrResume(attempt, change);
    case "update":
      return update(attempt, change);
    case "adopt":
      return writeOf(change) === undefined ? adopt(attempt, change) : update(attempt, change);
    case "replace":
      return kind.replacement === "create-first" ? replaceAhead(attempt, change) : replace(attempt, change);
    case "delete":
      return remove(attempt, change);
    case "forget":
      return forget(attempt, change);
    case "held":
      return { outcome: { status: "held", reason: change.held.reason } };
    case "no-op":
      return DONE;
    default:
      return change satisfies never;
  }
}

/** Step 1, for every action. Returns how the change ends if it may not be applied. */
function refuse(attempt: Attempt): Outcome | undefined {
  const { refused } = attempt.change;
  if (refused?.contested) return notAsApproved(attempt, refused, refused.contested);
  if (refused) return { status: "refused", refused };
  return findStaleSecret(attempt);
}

/** Finds a secret that differs from the one in the approved plan. */
function findStaleSecret(attempt: Attempt): Outcome | undefined {
  const { change, desired } = attempt;
  if (!change.desired) return undefined;
  for (const { path, after, sensitive } of change.leaves) {
    if (!sensitive || !isFingerprint(after)) continue;
    if (valueAt(desired(), path) !== after) return secretChanged(attempt, path);
  }
  return undefined;
}

/** Takes a live object into the state. */
async function adopt(attempt: Attempt, { id }: ChangeTo<"adopt">): Promise<Performed> {
  const { address, before, journal } = attempt;
  // If the state has the successor already, we read it by its id: a list may show a deleted object.
  if (before !== undefined && !(await reread(attempt, attempt))) return { outcome: goneSince(attempt) };
  journal.done({ address, action: "adopt", object: makeStateObject(attempt, undefined) });
  return { ...DONE, id };
}

/** Drops an object from the state, or only those fields that are no longer declared. */
function forget(attempt: Attempt, change: ChangeTo<"forget">): Performed {
  const { address, before, journal, known } = attempt;
  const remains = change.desired && makeStateObject(attempt, undefined);
  // What another run has recorded since is newer than the plan, so it stays.
  if (known.isStale && !before && !remains) return DONE;
  if (known.isStale && !isAsPlanned(before, remains, change)) return { outcome: anotherSince(attempt) };
  if (remains) journal.done({ address, action: "adopt", object: remains });
  else journal.done({ address, action: "forget" });
  return DONE;
}

/**
 * Whether the state still has the object of the plan; if fields are released, with the values of the plan or without
 * those fields.
 */
function isAsPlanned(
  before: StateObject | undefined,
  remains: StateObject | undefined,
  { id, prior }: ChangeTo<"forget">,
): boolean {
  if (before?.id !== id) return false;
  return !remains || equal(before.applied, prior ?? {}) || equal(before.applied, remains.applied);
}
