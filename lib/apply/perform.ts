import { defined } from "../core/defined.ts";
import { writeOf } from "../plan/write.ts";
import type { Attempt } from "./attempt.ts";
import { reread } from "./compare.ts";
import { goneSince } from "./conflict.ts";
import { createOrResume } from "./create.ts";
import { permit, write } from "./life.ts";
import { DONE, type Performed } from "./outcome.ts";
import { makeStateObject } from "./record.ts";
import { REMOVE } from "./remove.ts";
import { replace } from "./replace.ts";
import { replaceAhead } from "./replace-ahead.ts";
import { UPDATE } from "./update.ts";

/** Carries out one change, as its action asks. Throws what `write` throws (`life.ts`). */
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
      return change.action satisfies never;
  }
}

async function adopt(attempt: Attempt): Promise<Performed> {
  const { address, before, change, journal } = attempt;
  // What would take the place of an object that is known already is looked at by its id: a list may show what is gone.
  if (before !== undefined && !(await reread(attempt))) return { outcome: goneSince(attempt) };
  journal.done({ address, action: "adopt", object: makeStateObject(attempt, undefined) });
  return { ...DONE, ...defined({ id: change.id }) };
}

/** Drops an object from the state, or only those leaves of it that are declared no more. */
function forget(attempt: Attempt): Performed {
  const { address, change, journal } = attempt;
  if (change.desired) journal.done({ address, action: "adopt", object: makeStateObject(attempt, undefined) });
  else journal.done({ address, action: "forget" });
  return DONE;
}
