import type { Diagnostic } from "../core/diagnostic.ts";
import { type JsonObject, leaves, withValueAt } from "../core/json.ts";
import { attemptNeeds } from "../plan/cost.ts";
import type { Change } from "../plan/change.ts";
import type { Live } from "../kinds/live.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { StartOver } from "../service/fresh-write.ts";
import { type Attempt, inTries, uninterruptible } from "./attempt.ts";
import { differenceFrom, isAppliedSince, reread } from "./compare.ts";
import { anotherSince } from "./conflict.ts";
import { CREATE, create } from "./create.ts";
import { type Compared, requireUnchanged, type Steps, writeOnce } from "./life.ts";
import { look } from "./look.ts";
import type { Performed } from "./outcome.ts";
import { makeStateObject, preImage } from "./record.ts";
import { objectToRemoval } from "./remove.ts";
import { answerTo } from "./settle.ts";

/**
 * Deletes an object and creates it again. One try reserves the calls for the create before it deletes, so that no rate
 * limit makes it wait in between.
 */
export function replace(attempt: Attempt): Promise<Performed> {
  const needs = attemptNeeds(attempt.change, attempt.kind);
  return inTries(attempt, needs, async (tried) => {
    const half = await writeOnce(tried, MAKE_ROOM);
    if ("outcome" in half) return half;
    return half.old ? createAnew(tried, half.old) : writeOnce(tried, CREATE);
  });
}

/** The first half: deletes the object and returns what it was. */
const MAKE_ROOM: Steps<{ readonly live: Live }, Live | void, Performed | { readonly old: Live | undefined }> = {
  reread: (attempt) => reread(attempt),
  compare,
  recordIntent: async (attempt, { live }) => {
    const object = makeStateObject(attempt, undefined);
    await attempt.journal.intend({ ...entryOf(attempt), object, before: preImage(live) });
  },
  rereadLate: async (attempt, found) => requireUnchanged(attempt, found, await reread(attempt)),
  send: (attempt, { live }) => answerTo(attempt.kind.remove(attempt, live, attempt.change.prior)),
  withdrawIntent: (attempt) => attempt.journal.failed(entryOf(attempt)),
  settleFailure: async (attempt, { live }, error) => {
    // Uses the calls that were reserved for it, because the hostname may be gone already.
    if (!(error instanceof AmbiguousError) || (await look(reread(attempt)))) throw error;
    return settle(attempt, live);
  },
  settle: (attempt, { live }) => settle(attempt, live),
};

function compare(
  attempt: Attempt,
  live: Live | undefined,
): Compared<{ readonly live: Live }, Performed | { readonly old: undefined }> {
  if (isAppliedSince(attempt)) return { end: { outcome: anotherSince(attempt) } };
  if (!live) return { end: { old: undefined } };
  const difference = differenceFrom(attempt, live);
  if (difference && difference !== "none") return { end: { outcome: difference } };
  const objection = objectToRemoval(attempt, live);
  return objection ? { end: { outcome: objection } } : { found: { live } };
}

function settle(attempt: Attempt, old: Live): { readonly old: Live } {
  attempt.journal.gone(entryOf(attempt));
  return { old };
}

function entryOf({ address }: Attempt): { readonly address: string; readonly action: "replace" } {
  return { address, action: "replace" };
}

/** If one replacement fails, the run stops: each further object would be deleted and not created again. */
const STOPS = "an object was deleted to be replaced and could not be created again; the same would happen to others";

/** The second half of a replacement. Ignores interrupts: until it ends, the object is missing. */
async function createAnew(tried: Attempt, old: Live): Promise<Performed> {
  const attempt = withCarried(uninterruptible(tried), old);
  try {
    const made = await createHere(attempt);
    if (made.outcome.status !== "conflict") return made;
    return { outcome: { ...made.outcome, hasWritten: "part" }, stops: STOPS };
  } catch (error) {
    const { change } = attempt;
    if (error instanceof AmbiguousError)
      return {
        outcome: { status: "unknown", diagnostic: { ...explainFailure(error), address: change.address } },
        stops: STOPS,
      };
    return { outcome: { status: "failed", diagnostic: halfReplaced(change, error), hasWritten: true }, stops: STOPS };
  }
}

/** Creates with the reserved calls; if the service refuses that request, in tries of its own. */
async function createHere(attempt: Attempt): Promise<Performed> {
  try {
    return await writeOnce(attempt, CREATE);
  } catch (error) {
    if (error instanceof StartOver) return create(attempt);
    throw error;
  }
}

/** A new object starts with the old one's unmanaged values, so that a replacement loses none of them. */
function withCarried(attempt: Attempt, old: Live): Attempt {
  const { change, kind } = attempt;
  const sent = leaves(change.desired ?? {}, (path) => kind.writeOnly.includes(path.join("."))).reduce(
    (spec: JsonObject, { path, value }) => withValueAt(spec, path, value),
    kind.copied?.(old) ?? kind.declared(old),
  );
  return change.action === "replace" ? { ...attempt, change: { ...change, sent } } : attempt;
}

function halfReplaced(change: Change, error: unknown): Diagnostic {
  const { message, ...rest } = explainFailure(error);
  return {
    ...rest,
    address: change.address,
    message: `the old one was deleted, but the new one could not be created: ${message}`,
  };
}
