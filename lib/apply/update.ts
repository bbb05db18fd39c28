import { error } from "../core/diagnostic.ts";
import { equal } from "../core/json.ts";
import type { Refused } from "../plan/change.ts";
import { refusalToReplace } from "../plan/companions.ts";
import { ChangedMeanwhile, type Companion, StepCutShort } from "../kinds/traits/remote.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { isNotFound } from "../service/not-found.ts";
import type { Attempt } from "./attempt.ts";
import {
  differenceFrom,
  differencesFromSent,
  findHeld,
  isAppliedSince,
  isAsEdited,
  isWanted,
  reread,
  rereadAsWanted,
} from "./compare.ts";
import { anotherSince, changedMeanwhile, conflict, goneSince } from "./conflict.ts";
import { type Compared, requireUnchanged, type Steps } from "./life.ts";
import { look } from "./look.ts";
import { serviceMoment } from "./moment.ts";
import type { Outcome, Performed } from "./outcome.ts";
import { makeStateObject, preImage, recordDone, type Remarks, SO_ALREADY } from "./record.ts";
import { answerTo, confirmWrite, reportOverwritten, unconfirmedOutcome } from "./settle.ts";

/** Changes fields or rules of a live object, and with it the companion that the same call writes. */
export const UPDATE: Steps<Found, Live> = {
  reread: (attempt) => reread(attempt),
  compare,
  compareCompanion,
  recordIntent,
  rereadLate: async (attempt, found) => requireUnchanged(attempt, found, await reread(attempt)),
  send,
  withdrawIntent,
  settleFailure,
  settle,
};

/** The object as it was compared, and its companion. */
interface Found {
  readonly live: Live;
  readonly companion?: Companion;
}

function compare(attempt: Attempt, live: Live | undefined): Compared<Found> {
  if (!live) return { end: endAsGone(attempt) };
  const difference = differenceFrom(attempt, live);
  if (difference === "none") return { end: recordBoth(attempt, live, SO_ALREADY) };
  if (difference) return { end: { outcome: difference } };
  if (isAppliedSince(attempt)) return { end: { outcome: anotherSince(attempt) } };
  const waiting = findHeld(attempt, live);
  return waiting ? { end: { outcome: waiting } } : { found: { live } };
}

/** Reads the companion again. Returns why the call may not be sent if it would overwrite something. */
async function compareCompanion(attempt: Attempt, { live }: Found): Promise<Compared<Found>> {
  if (!attempt.companion) {
    const undeclared = attempt.kind.companion && (await refuseUndeclared(attempt, attempt.kind.companion));
    if (undeclared) return { end: { outcome: { status: "refused", refused: undeclared } } };
    return { found: { live } };
  }
  const { change, kind, service, zone, signal } = attempt.companion;
  const other = await kind.find(service, zone, change.key, signal);
  if (other && !equal(kind.guarded(other, []), change.expected))
    return { end: { outcome: conflict(attempt.companion, other) } };
  if (!other && change.expected) return { end: { outcome: goneSince(attempt.companion) } };
  const { prior, options } = change;
  return { found: { live, companion: { spec: change.desired ?? {}, prior, live: other, options } } };
}

async function recordIntent(attempt: Attempt, { live, companion }: Found): Promise<void> {
  await attempt.journal.intend({
    address: attempt.address,
    action: "update",
    object: makeStateObject(attempt, undefined, askedIfIrreversible(attempt)),
    before: preImage(live),
  });
  if (attempt.companion) await recordCompanionIntent(attempt.companion, companion?.live);
}

function send(attempt: Attempt, { live, companion }: Found): Promise<Live> {
  const { desired, leaves, prior, options } = attempt.change;
  const input = { spec: desired ?? {}, leaves, prior, live, options, ...(companion ? { companion } : {}) };
  return answerTo(attempt.kind.update(attempt, input));
}

/**
 * Records that neither the object nor its companion was written. If the failed request was not the step's first, the
 * object's intent stays open: the next run finds out what the others did, and `undo` knows of them.
 */
async function withdrawIntent(attempt: Attempt, error?: unknown): Promise<void> {
  const { address, companion, journal } = attempt;
  if (hasWrittenPart(error)) await recordPart(attempt);
  else journal.failed({ address, action: "update" });
  if (companion) journal.failed({ address: companion.address, action: companion.before ? "update" : "create" });
}

function hasWrittenPart(error: unknown): boolean {
  return error instanceof StepCutShort || (error instanceof ChangedMeanwhile && error.hasWritten);
}

/** Replaces the intent by one that does not say when the step was sent: nobody has to wait for its result. */
async function recordPart(attempt: Attempt): Promise<void> {
  const { address, journal } = attempt;
  const object = makeStateObject(attempt, undefined);
  // If that cannot be stored, the first intent stays, and the next run waits an hour for the step.
  await journal.intend({ address, action: "update", object }).catch(() => undefined);
}

async function settleFailure(attempt: Attempt, { live }: Found, error: unknown): Promise<Performed> {
  if (error instanceof ChangedMeanwhile) return { outcome: changedMeanwhile(attempt, error) };
  if (error instanceof StepCutShort) return { outcome: cutShort(attempt, error) };
  if (isNotFound(error) && !(await reread(attempt, attempt.service))) return endAsGone(attempt);
  const found = error instanceof AmbiguousError && (await look(rereadAsWanted(attempt)));
  if (!found || found === "unknown") throw error;
  return reportOverwritten(attempt, live, await recordBoth(attempt, found, { note: FOUND_AS_WANTED }), found);
}

async function settle(attempt: Attempt, { live }: Found, answer: Live): Promise<Performed> {
  const result = await confirmEdit(attempt, live, answer);
  if ("outcome" in result) return result;
  const asked = isWanted(attempt, result.live) ? undefined : askedIfSlow(attempt);
  return reportOverwritten(attempt, live, await recordBoth(attempt, result.live, { asked }), result.live);
}

/** The service may take a while to complete a step of several requests, so only its next read shows the result. */
async function confirmEdit(attempt: Attempt, before: Live, answer: Live): ReturnType<typeof confirmWrite> {
  const { kind, service, zone } = attempt;
  if (kind.severalRequests) return { live: answer };
  const isMet = (live: Live): boolean => live.id === before.id && live.key === before.key && isAsEdited(attempt, live);
  return confirmWrite(attempt, answer, { isMet, lookUp: () => kind.read(service, zone, before) });
}

const INTERRUPTED = error({
  code: "interrupted",
  message: "the run was interrupted",
  remedy: "apply again: the rest is planned from what is live",
});

/** One request of the step failed after others had taken effect. */
function cutShort({ change, signal }: Attempt, { cause }: StepCutShort): Outcome {
  const { message, ...rest } = signal?.aborted && cause === signal.reason ? INTERRUPTED : explainFailure(cause);
  const diagnostic = { ...rest, address: change.address, message: `applied in part: ${message}` };
  return { status: "failed", diagnostic, hasWritten: true };
}

const FOUND_AS_WANTED = "the response was lost; live is as declared";

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

function askedStamp({ service, clock }: Attempt): string {
  return new Date(serviceMoment(service, clock)).toISOString();
}

/** Records the object and its companion. */
async function recordBoth(attempt: Attempt, live: Live, remarks: Remarks): Promise<Performed> {
  const performed = recordDone(attempt, live, remarks);
  const trouble = attempt.companion && (await settleCompanion(attempt.companion));
  return trouble && !remarks.wasSo ? { ...performed, outcome: trouble } : performed;
}

/** Refuses to overwrite a companion that somebody created after the plan and that is not declared. */
async function refuseUndeclared(
  { service, signal, zone }: Attempt,
  companion: NonNullable<Kind["companion"]>,
): Promise<Refused | undefined> {
  const kind = kindNamed(companion.kind);
  return refusalToReplace(kind, zone, await kind.find(service, zone, companion.key, signal));
}

/** A companion that is not tracked yet is ours from the moment we send it. */
async function recordCompanionIntent(attempt: Attempt, live: Live | undefined): Promise<void> {
  const { address, before, journal } = attempt;
  await journal.intend({
    address,
    action: before ? "update" : "create",
    object: makeStateObject(attempt, undefined),
    ...(live ? { before: preImage(live) } : {}),
  });
}

/** Returns an outcome if the companion does not show what was sent. */
async function settleCompanion(attempt: Attempt): Promise<Outcome | undefined> {
  const { change, kind, service, zone } = attempt;
  // If this read fails, the companion's intent stays open, and the next run settles it.
  const live = await look(kind.find(service, zone, change.key));
  if (!live || live === "unknown") return undefined;
  if (!isAsEdited(attempt, live)) return unconfirmedOutcome(attempt, differencesFromSent(attempt, live));
  recordDone(attempt, live);
  return undefined;
}

/**
 * The object is gone since the plan was made. If the application owns it, that is no conflict
 * (docs/semantics.md#lifecycle).
 */
function endAsGone(attempt: Attempt): Performed {
  if (!attempt.change.undeclared) return { outcome: goneSince(attempt) };
  attempt.journal.gone({ address: attempt.address, action: "update" });
  return { outcome: { status: "done", note: "the application deleted it meanwhile" } };
}
