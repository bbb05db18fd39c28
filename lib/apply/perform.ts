import { valueAt } from "../core/json.ts";
import { isFingerprint } from "../core/fingerprint.ts";
import type { Change } from "../plan/change.ts";
import { withFingerprints } from "../plan/secrets.ts";
import { writeOf } from "../plan/write.ts";
import { kindNamed } from "../kinds/registry.ts";
import { goneSince, notAsApproved, secretChanged } from "./conflict.ts";
import { createOrResume } from "./create.ts";
import { reread } from "./differences.ts";
import type { Outcome } from "./outcome.ts";
import { addressOf, DONE, type Performance, type Performed } from "./performance.ts";
import { remembered } from "./remember.ts";
import { remove } from "./remove.ts";
import { replace } from "./replace.ts";
import { update } from "./update.ts";

/**
 * Carries out one change: re-reads, compares with what the plan rested on, writes down the intent, writes, writes
 * down the result. Throws what the client throws; a write of unknown fate has been looked up before that.
 */
export async function perform(run: Performance, change: Change): Promise<Performed> {
  if (change.refused?.contested) return { outcome: notAsApproved(change, change.refused, change.refused.contested) };
  if (change.refused) return { outcome: { status: "refused", refused: change.refused } };
  const stale = staleSecret(run, change);
  if (stale) return { outcome: stale };
  switch (change.action) {
    case "create":
      return createOrResume(run, change);
    case "update":
      return update(run, change);
    case "adopt":
      return writeOf(change) === undefined ? adopt(run, change) : update(run, change);
    case "replace":
      return replace(run, change);
    case "delete":
      return remove(run, change);
    case "forget":
      return forget(run, change);
    case "held":
      return { outcome: { status: "held", reason: change.held?.reason ?? "" } };
    case "no-op":
      return DONE;
    default:
      return change.action satisfies never;
  }
}

async function adopt(run: Performance, change: Change): Promise<Performed> {
  // What would take the place of an object that is known already is looked at by its id: a list may show what is gone.
  const isKnown = run.before(addressOf(change)) !== undefined;
  if (isKnown && !(await reread(run, change, kindNamed(change.kind)))) return { outcome: goneSince(change) };
  run.journal.done({ address: addressOf(change), action: "adopt", object: remembered(run, change, undefined) });
  return { ...DONE, ...(change.id === undefined ? {} : { id: change.id }) };
}

/** Drops an object from the state, or only those leaves of it that are declared no more. */
function forget(run: Performance, change: Change): Performed {
  const address = addressOf(change);
  if (change.desired) run.journal.done({ address, action: "adopt", object: remembered(run, change, undefined) });
  else run.journal.done({ address, action: "forget" });
  return DONE;
}

/** A secret that is another one than the plan was approved with. */
function staleSecret(run: Performance, change: Change): Outcome | undefined {
  const desired = change.desired;
  if (!desired) return undefined;
  for (const { path, after, sensitive } of change.leaves) {
    if (!sensitive || !isFingerprint(after)) continue;
    const now = valueAt(withFingerprints(desired, kindNamed(change.kind).writeOnly, run.fingerprintOf), path);
    if (now !== after) return secretChanged(change, path);
  }
  return undefined;
}
