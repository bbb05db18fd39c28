import type { Diagnostic } from "../core/diagnostic.ts";
import { type JsonObject, leaves, withValueAt } from "../core/json.ts";
import type { Change, ChangeTo } from "../plan/change.ts";
import { attemptNeeds } from "../plan/cost.ts";
import type { Live } from "../kinds/live.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { type Attempt, reread } from "./attempt.ts";
import { isAppliedSince, isAsPlanned } from "./compare.ts";
import { anotherSince, conflict } from "./conflict.ts";
import { create, createOnce } from "./create.ts";
import type { Performed } from "./outcome.ts";
import { makeStateObject } from "./settle.ts";
import { deleteAsRead, objectToRemoval } from "./remove.ts";
import { inTries, type Try, uninterruptible } from "./tries.ts";

/**
 * Deletes an object and creates it again. One try reserves the calls for the create before it deletes, so that no rate
 * limit makes it wait in between.
 */
export function replace(attempt: Attempt, change: ChangeTo<"replace">): Promise<Performed> {
  return inTries(attempt, attemptNeeds(change, attempt.kind), (fresh) => replaceOnce(attempt, fresh, change));
}

async function replaceOnce(attempt: Attempt, fresh: Try, change: ChangeTo<"replace">): Promise<Performed> {
  const { address, clock, journal } = attempt;

  // Reread and compare.
  const live = await reread(attempt, fresh);
  const readAt = clock.now();
  if (isAppliedSince(attempt)) return { outcome: anotherSince(attempt) };
  if (!live) return createOnce(attempt, fresh, change.desired);
  if (!isAsPlanned(attempt, live)) return { outcome: conflict(attempt, live) };
  const objection = objectToRemoval(attempt, live);
  if (objection) return { outcome: objection };

  // Intend both halves, and send the first one. After a lost response, looking up the object uses calls that were
  // reserved for the create, because the hostname may be gone already.
  const entry = { address, action: "replace", object: makeStateObject(attempt, undefined) } as const;
  await deleteAsRead(attempt, fresh, { live, readAt, entry, lookUp: () => reread(attempt, fresh) });
  journal.gone({ address, action: "replace" });

  // Send the second half, and settle. Ignores interrupts: until this ends, the object is missing.
  const sent = withUnmanaged(attempt, change, live);
  return createAnew(uninterruptible(attempt), fresh, sent);
}

/** A new object starts with the old one's unmanaged values, so that a replacement loses none of them. */
function withUnmanaged({ kind }: Attempt, { desired }: ChangeTo<"replace">, old: Live): JsonObject {
  return leaves(desired, (path) => kind.writeOnly.includes(path.join("."))).reduce(
    (spec: JsonObject, { path, value }) => withValueAt(spec, path, value),
    kind.copied?.(old) ?? kind.declared(old),
  );
}

/** If one replacement fails, the run stops: each further object would be deleted and not created again. */
const STOPS = "an object was deleted to be replaced and could not be created again; the same would happen to others";

/** Creates with the reserved calls; if the service refuses that request, with further calls. */
async function createAnew(attempt: Attempt, fresh: Try, sent: JsonObject): Promise<Performed> {
  try {
    const made = await create(attempt, sent, fresh);
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

function halfReplaced(change: Change, error: unknown): Diagnostic {
  const { message, ...rest } = explainFailure(error);
  return {
    ...rest,
    address: change.address,
    message: `the old one was deleted, but the new one could not be created: ${message}`,
  };
}
