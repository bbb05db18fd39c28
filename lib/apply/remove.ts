import { equal } from "../core/json.ts";
import { localAddress } from "../plan/targets.ts";
import type { Live } from "../kinds/live.ts";
import { successorKey } from "../kinds/retired.ts";
import { AmbiguousError } from "../service/errors.ts";
import type { Attempt } from "./attempt.ts";
import { isAppliedSince, reread } from "./compare.ts";
import { anotherSince, conflict } from "./conflict.ts";
import { type Compared, requireUnchanged, type Steps } from "./life.ts";
import { look } from "./look.ts";
import { DONE, type Outcome, type Performed } from "./outcome.ts";
import { preImage } from "./record.ts";
import { answerTo, reportOverwritten } from "./settle.ts";

/** Deletes an object that is still as planned; one that is gone already counts as deleted. */
export const REMOVE: Steps<Found, Live | undefined> = {
  readSuccessor: async (attempt) => (await objectToMove(attempt)) ?? (await objectToRetirement(attempt)),
  reread: (attempt) => reread(attempt),
  compare,
  recordIntent,
  rereadLate,
  send,
  withdrawIntent: (attempt) => attempt.journal.failed(entryOf(attempt)),
  settleFailure: async (attempt, found, error) => {
    await requireGone(attempt, found, error);
    return settle(attempt, found, undefined);
  },
  settle,
};

/** The object as it was compared. */
export interface Found {
  readonly live: Live;
}

function compare(attempt: Attempt, live: Live | undefined, unserved: Outcome | undefined): Compared<Found> {
  const { change, journal, kind } = attempt;
  if (isAnotherByNow(attempt, live)) return { end: { outcome: anotherSince(attempt) } };
  if (!live) {
    journal.gone(entryOf(attempt));
    return { end: { outcome: { status: "done", note: "was already gone" } } };
  }
  if (!equal(kind.guarded(live, []), change.expected)) return { end: { outcome: conflict(attempt, live) } };
  const objection = objectToRemoval(attempt, live) ?? unserved;
  return objection ? { end: { outcome: objection } } : { found: { live } };
}

/** Records that the object is about to be deleted, with its values. */
export async function recordIntent(attempt: Attempt, { live }: Found): Promise<void> {
  await attempt.journal.intend({ ...entryOf(attempt), before: preImage(live) });
}

/** Reads the object again by its id. */
export async function rereadLate(attempt: Attempt, found: Found): Promise<{ readonly found: Found }> {
  const { client, kind, signal, zone } = attempt;
  return requireUnchanged(attempt, found, await kind.read(client, zone, found.live, signal));
}

/** Deletes the object. Returns what remains if it is shared with others. */
export async function send(attempt: Attempt, { live }: Found): Promise<Live | undefined> {
  return (await answerTo(attempt.kind.remove(attempt, live, attempt.change.prior))) ?? undefined;
}

/** Rethrows the error, unless only the response was lost and the object is gone. */
export async function requireGone({ kind, service, zone }: Attempt, { live }: Found, error: unknown): Promise<void> {
  if (!(error instanceof AmbiguousError) || (await look(kind.read(service, zone, live)))) throw error;
}

function settle(attempt: Attempt, { live }: Found, left: Live | undefined): Performed | Promise<Performed> {
  attempt.journal.done(entryOf(attempt));
  return left ? reportOverwritten(attempt, live, DONE, left) : DONE;
}

/** What all journal records of the deletion share. */
export function entryOf({ address }: Attempt): { readonly address: string; readonly action: "delete" } {
  return { address, action: "delete" };
}

/**
 * Whether, since the plan was made, another run has replaced this object, has begun to, or no longer tracks it: then
 * this plan may neither delete nor forget what is at the address.
 */
function isAnotherByNow(attempt: Attempt, live: Live | undefined): boolean {
  const { before, change, known } = attempt;
  if (!known.isStale) return false;
  // This plan may have been applied before: then the state has nothing, and nothing is live.
  if (!before) return live !== undefined;
  const isSame = before.id === change.id || (before.pending !== undefined && change.resumes === true);
  // A replacement that was stopped may have deleted this object and created its successor.
  const isHalfReplaced = before.pending !== undefined && live === undefined;
  return !isSame || isHalfReplaced || (live !== undefined && isAppliedSince(attempt));
}

/**
 * Why an object may no longer be deleted, although the plan was right: it was protected since, or deleting it now has
 * more hazards.
 */
export function objectToRemoval(attempt: Attempt, live: Live): Outcome | undefined {
  const { before, change, kind } = attempt;
  if (before?.protect && !change.refused) {
    const message = `it was protected after the plan was made, and this would ${change.action} it`;
    return { status: "refused", refused: { code: "protected", message, remedy: "apply protect: false for it first" } };
  }
  const action = change.action === "replace" ? "replace" : "delete";
  const now = kind.hazards({
    action,
    key: change.key,
    desired: change.desired,
    live,
    comparison: undefined,
    isReplaced: change.replaced === true,
  });
  const more = now.filter((hazard) => !change.hazards.includes(hazard));
  return more.length === 0
    ? undefined
    : conflict(attempt, live, `it would now delete more than was approved: ${more.join(", ")}`);
}

/**
 * A hostname that moved is deleted only while the new one serves traffic. It did when the plan was made, but that may
 * have changed.
 */
async function objectToMove({ change, client, kind, signal }: Attempt): Promise<Outcome | undefined> {
  if (!change.movesTo) return undefined;
  const { address, zone, key } = change.movesTo;
  // A list that lags still shows an object that is gone.
  const listed = await kind.find(client, zone, key, signal);
  const next = listed && (await kind.read(client, zone, listed, signal));
  const readiness = next && (kind.readiness?.(next) ?? "ready");
  if (readiness === "ready") return undefined;
  return { status: "held", reason: `it moves to ${address}, which ${next ? "no longer serves traffic" : "is gone"}` };
}

/**
 * A replaced object is deleted only while its successor serves traffic; that one may have been deleted since the plan.
 */
async function objectToRetirement(attempt: Attempt): Promise<Outcome | undefined> {
  const { change } = attempt;
  const successor = change.replaced ? successorKey(change.key) : undefined;
  if (successor === undefined || (await isServedAt(attempt, successor))) return undefined;
  return { status: "held", reason: "its replacement no longer serves traffic" };
}

/**
 * Whether the object that the state has under this key serves traffic; if the state has none, the one that a list shows
 * there.
 */
async function isServedAt({ change, client, kind, known, signal, zone }: Attempt, key: string): Promise<boolean> {
  const address = localAddress(kind.name, key);
  const others = new Set(known.idsBeside(kind.name, address));
  const knownId = known.at(address)?.id ?? "";
  const id = knownId === "" ? (await kind.find(client, zone, key, signal, others))?.id : knownId;
  const next = id === undefined || id === change.id ? undefined : await kind.read(client, zone, { id, key }, signal);
  return next !== undefined && (kind.readiness?.(next) ?? "ready") === "ready";
}
