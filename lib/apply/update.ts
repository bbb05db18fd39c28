import { error, problem } from "../core/diagnostic.ts";
import { defined, equal } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import { ChangedMeanwhile, type Companion, StepCutShort } from "../kinds/traits/remote.ts";
import type { ChangeTo, Refused } from "../plan/change.ts";
import { refusalToReplace } from "../plan/companions.ts";
import { attemptNeeds } from "../plan/cost.ts";
import { serviceMoment } from "../service/client.ts";
import { AmbiguousError, isNotFound } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { type Attempt, readOrUnknown, reread } from "./attempt.ts";
import { isAppliedSince, isAsPlanned, Sight } from "./compare.ts";
import { anotherSince, changedMeanwhile, conflict, goneSince } from "./conflict.ts";
import type { Outcome, Performed } from "./outcome.ts";
import {
  answerTo,
  confirmWrite,
  makeStateObject,
  preImage,
  recordDone,
  type Remarks,
  reportOverwritten,
  SO_ALREADY,
  unconfirmedOutcome,
} from "./settle.ts";
import { inTries, inTriesOfItsOwn, rereadIfLate, type Try } from "./tries.ts";

type Edit = ChangeTo<"update" | "adopt">;

/** Changes fields or rules of a live object, and with it the companion that the same call writes. */
export function update(attempt: Attempt, change: Edit): Promise<Performed> {
  const act = (fresh: Try): Promise<Performed> => updateOnce(attempt, fresh, change);
  if (attempt.kind.severalRequests) return inTriesOfItsOwn(attempt, act);
  return inTries(attempt, attemptNeeds(change, attempt.kind), act);
}

async function updateOnce(attempt: Attempt, fresh: Try, change: Edit): Promise<Performed> {
  const { address, clock, journal, kind } = attempt;

  // Reread and compare.
  const live = await reread(attempt, fresh);
  const readAt = clock.now();
  if (!live) return endAsGone(attempt);
  const sight = new Sight(attempt, live);
  if (!isAsPlanned(attempt, live))
    return sight.isAsDesired ? recordBoth(attempt, live, SO_ALREADY) : { outcome: conflict(attempt, live) };
  if (isAppliedSince(attempt)) return { outcome: anotherSince(attempt) };
  const { held } = sight;
  if (held) return { outcome: held };
  const beside = await compareCompanion(attempt);
  if ("outcome" in beside) return beside;
  const { companion } = beside;

  // Intend.
  const object = makeStateObject(attempt, undefined, askedIfIrreversible(attempt));
  await journal.intend({ address, action: "update", object, before: preImage(live) });
  if (attempt.companion) await recordCompanionIntent(attempt.companion, companion?.live);

  // Send.
  let answer: Live;
  try {
    const current = await rereadIfLate(attempt, fresh, live, readAt);
    const { desired, leaves, prior, options } = change;
    answer = await answerTo(
      kind.update(fresh, { desired, leaves, prior, live: current, options, ...defined({ companion }) }),
    );
  } catch (thrown) {
    // A lost response is not a failure: the intent stays open until a read shows what happened.
    if (!(thrown instanceof AmbiguousError)) await withdrawIntents(attempt, thrown);
    return settleFailure(attempt, live, thrown);
  }

  // Settle.
  const result = await confirmEdit(attempt, live, answer);
  if ("outcome" in result) return result;
  const { seen } = result;
  const asked = seen.isAsDesired ? undefined : askedIfSlow(attempt);
  return reportOverwritten(attempt, live, await recordBoth(attempt, seen.live, { asked }), seen.live);
}

/**
 * The object was deleted after the plan was made. If the application owns it, that is no conflict
 * (docs/semantics.md#lifecycle).
 */
function endAsGone(attempt: Attempt): Performed {
  if (!attempt.change.undeclared) return { outcome: goneSince(attempt) };
  attempt.journal.gone({ address: attempt.address, action: "update" });
  return { outcome: { status: "done", note: "the application deleted it meanwhile" } };
}

/** Reads the companion again. Returns why the call may not be sent if it would overwrite something. */
async function compareCompanion(
  attempt: Attempt,
): Promise<{ readonly companion?: Companion } | { readonly outcome: Outcome }> {
  if (!attempt.companion) {
    const undeclared = attempt.kind.companion && (await refuseUndeclared(attempt, attempt.kind.companion));
    return undeclared ? { outcome: { status: "refused", refused: undeclared } } : {};
  }
  const { change, client, kind, zone, signal } = attempt.companion;
  const other = await kind.find(client, zone, change.key, signal);
  if (other && !equal(kind.guarded(other, []), change.expected)) return { outcome: conflict(attempt.companion, other) };
  if (!other && change.expected) return { outcome: goneSince(attempt.companion) };
  const { prior, options } = change;
  return { companion: { desired: change.desired ?? {}, prior, live: other, options } };
}

/** Refuses to overwrite an undeclared companion that was created after the plan. */
async function refuseUndeclared(
  { client, signal, zone }: Attempt,
  companion: NonNullable<Kind["companion"]>,
): Promise<Refused | undefined> {
  const kind = kindNamed(companion.kind);
  return refusalToReplace(kind, zone, await kind.find(client, zone, companion.key, signal));
}

/** A companion that is not tracked yet is ours from the moment we send it. */
async function recordCompanionIntent(companion: Attempt, live: Live | undefined): Promise<void> {
  const { address, before, journal } = companion;
  const action = before ? "update" : "create";
  const object = makeStateObject(companion, undefined);
  await journal.intend({ address, action, object, ...defined({ before: live && preImage(live) }) });
}

/**
 * Records that neither the object nor its companion was written. If the failed request was not the step's first, the
 * object's intent stays open: the next run finds out what the earlier ones did, and `undo` knows about them.
 */
async function withdrawIntents(attempt: Attempt, thrown: unknown): Promise<void> {
  const { address, companion, journal } = attempt;
  const hasWritten = thrown instanceof StepCutShort || (thrown instanceof ChangedMeanwhile && thrown.hasWritten);
  if (hasWritten) await recordPart(attempt);
  else journal.failed({ address, action: "update" });
  if (companion) journal.failed({ address: companion.address, action: companion.before ? "update" : "create" });
}

/** Replaces the intent by one without the time at which the step was sent, so that no run waits for its result. */
async function recordPart(attempt: Attempt): Promise<void> {
  const { address, journal } = attempt;
  const object = makeStateObject(attempt, undefined);
  // If that cannot be stored, the first intent stays, and the next run waits an hour for the step.
  await journal.intend({ address, action: "update", object }).catch(() => undefined);
}

async function settleFailure(attempt: Attempt, live: Live, thrown: unknown): Promise<Performed> {
  if (thrown instanceof ChangedMeanwhile) return { outcome: changedMeanwhile(attempt, thrown) };
  if (thrown instanceof StepCutShort) return { outcome: cutShort(attempt, thrown) };
  if (isNotFound(thrown)) {
    const now = await reread(attempt, attempt);
    if (!now) return endAsGone(attempt);
    // A part of it is gone: the rule that was to be edited.
    if (!isAsPlanned(attempt, now)) return { outcome: conflict(attempt, now) };
  }
  if (!(thrown instanceof AmbiguousError)) throw thrown;
  // Ignores interrupts, because the result is needed.
  const found = await readOrUnknown(reread(attempt, { ...attempt, signal: undefined }));
  if (!found || found === "unknown" || !new Sight(attempt, found).isAsDesired) throw thrown;
  return reportOverwritten(attempt, live, await recordBoth(attempt, found, { note: FOUND_AS_DESIRED }), found);
}

const FOUND_AS_DESIRED = "the response was lost; live is as declared";

/** One request of the step failed after others had taken effect. */
function cutShort({ change, signal }: Attempt, { cause }: StepCutShort): Outcome {
  const { message, ...rest } = signal?.aborted && cause === signal.reason ? INTERRUPTED : explainFailure(cause);
  const diagnostic = { ...rest, address: change.address, message: `applied in part: ${message}` };
  return { status: "failed", diagnostic, hasWritten: true };
}

const INTERRUPTED = error(problem("interrupted", {}));

/** The service may take a while to complete a step of several requests, so only the next read shows the result. */
async function confirmEdit(attempt: Attempt, before: Live, answer: Live): ReturnType<typeof confirmWrite> {
  const { client, kind, zone } = attempt;
  if (kind.severalRequests) return { seen: new Sight(attempt, answer) };
  const isMet = (seen: Sight): boolean => seen.live.id === before.id && seen.live.key === before.key && seen.isAsEdited;
  return confirmWrite(attempt, answer, { isMet, lookUp: () => kind.read(client, zone, before) });
}

/**
 * A step that cannot be undone is sent again only after an hour without effect, so the next run must know when it was
 * sent.
 */
function askedIfIrreversible(attempt: Attempt): string | undefined {
  return attempt.change.hazards.includes("irreversible") ? askedStamp(attempt) : undefined;
}

/** The same for every step that takes the service a while: without the time, later runs would wait for ever. */
function askedIfSlow(attempt: Attempt): string | undefined {
  return attempt.kind.severalRequests ? askedStamp(attempt) : askedIfIrreversible(attempt);
}

function askedStamp({ client, clock }: Attempt): string {
  return new Date(serviceMoment(client, clock)).toISOString();
}

/** Records the object and its companion. */
async function recordBoth(attempt: Attempt, live: Live, remarks: Remarks): Promise<Performed> {
  const performed = recordDone(attempt, live, remarks);
  const trouble = attempt.companion && (await settleCompanion(attempt.companion));
  return trouble && !remarks.wasSo ? { ...performed, outcome: trouble } : performed;
}

/** Returns an outcome if the companion does not show what was sent. */
async function settleCompanion(companion: Attempt): Promise<Outcome | undefined> {
  const { change, client, kind, zone } = companion;
  // If this read fails, the companion's intent stays open, and the next run settles it.
  const live = await readOrUnknown(kind.find(client, zone, change.key));
  if (!live || live === "unknown") return undefined;
  const seen = new Sight(companion, live);
  if (!seen.isAsEdited) return unconfirmedOutcome(companion, seen.differencesFromSent);
  recordDone(companion, live);
  return undefined;
}
