import { defined } from "../core/defined.ts";
import { equal } from "../core/json.ts";
import type { Change } from "../plan/change.ts";
import { writeOf } from "../plan/write.ts";
import type { StateObject } from "../state/state.ts";
import type { Attempt } from "./attempt.ts";
import { reread } from "./compare.ts";
import { anotherSince, goneSince } from "./conflict.ts";
import { createOrResume } from "./create.ts";
import { permit, write } from "./life.ts";
import { DONE, type Performed } from "./outcome.ts";
import { makeStateObject } from "./record.ts";
import { REMOVE } from "./remove.ts";
import { replace } from "./replace.ts";
import { replaceAhead } from "./replace-ahead.ts";
import { UPDATE } from "./update.ts";

/** Applies one change, by its action. Throws what `write` throws (`life.ts`). */
export async function perform(attempt: Attempt): Promise<Performed> {
  const { change, kind } = attempt;
  const refusal = permit(attempt);
  if (refusal) return refusal;
  switch (change.action) {
    case "create":
      return createOrResume(attempt);
    case "update":
      return write(attempt, UPDATE);
    case "adopt":
      return writeOf(change) === undefined ? adopt(attempt) : write(attempt, UPDATE);
    case "replace":
      return kind.replacement === "create-first" ? replaceAhead(attempt) : replace(attempt);
    case "delete":
      return write(attempt, REMOVE);
    case "forget":
      return forget(attempt);
    case "held":
      return { outcome: { status: "held", reason: change.held?.reason ?? "" } };
    case "no-op":
      return DONE;
    default:
      return change satisfies never;
  }
}

async function adopt(attempt: Attempt): Promise<Performed> {
  const { address, before, change, journal } = attempt;
  // If the successor is known already, we read it by its id: a list may show an object that is gone.
  if (before !== undefined && !(await reread(attempt))) return { outcome: goneSince(attempt) };
  journal.done({ address, action: "adopt", object: makeStateObject(attempt, undefined) });
  return { ...DONE, ...defined({ id: change.id }) };
}

/** Drops an object from the state, or only those fields that are no longer declared. */
function forget(attempt: Attempt): Performed {
  const { address, before, change, journal, known } = attempt;
  const remains = change.desired && makeStateObject(attempt, undefined);
  // What another run has recorded since is newer than the plan, so we do not overwrite it.
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
  { id, prior }: Change,
): boolean {
  if (before?.id !== (id ?? "")) return false;
  return !remains || equal(before.applied, prior ?? {}) || equal(before.applied, remains.applied);
}
