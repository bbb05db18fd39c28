import { problem } from "../core/diagnostic.ts";
import type { Change, ChangeTo } from "../plan/change.ts";
import { attemptNeeds } from "../plan/cost.ts";
import { localAddress } from "../plan/targets.ts";
import type { Live } from "../kinds/live.ts";
import { successorKey } from "../kinds/retired.ts";
import { AmbiguousError } from "../service/errors.ts";
import type { JournalEntry } from "../state/journal-record.ts";
import { type Attempt, readOrUnknown, reread } from "./attempt.ts";
import { isAppliedSince, isAsPlanned } from "./compare.ts";
import { anotherSince, conflict } from "./conflict.ts";
import { DONE, type Outcome, type Performed } from "./outcome.ts";
import { answerTo, preImage, reportOverwritten } from "./settle.ts";
import { inTries, rereadIfLate, type Try } from "./tries.ts";

/** Deletes an object that is still as planned; one that is gone already counts as deleted. */
export function remove(attempt: Attempt, change: ChangeTo<"delete">): Promise<Performed> {
  return inTries(attempt, attemptNeeds(change, attempt.kind), (fresh) => removeOnce(attempt, fresh, change));
}

async function removeOnce(attempt: Attempt, fresh: Try, change: ChangeTo<"delete">): Promise<Performed> {
  const { address, client, clock, journal, kind, zone } = attempt;
  const entry = { address, action: "delete" } as const;

  // Reread and compare, its successor first.
  const unserved = (await objectToMove(attempt, fresh, change)) ?? (await objectToRetirement(attempt, fresh, change));
  const live = await reread(attempt, fresh);
  const readAt = clock.now();
  if (isAnotherByNow(attempt, live)) return { outcome: anotherSince(attempt) };
  if (!live) {
    journal.gone(entry);
    return { outcome: { status: "done", note: "was already gone" } };
  }
  if (!isAsPlanned(attempt, live)) return { outcome: conflict(attempt, live) };
  const objection = objectToRemoval(attempt, live) ?? unserved;
  if (objection) return { outcome: objection };

  // Intend and send.
  const left = await deleteAsRead(attempt, fresh, { live, readAt, entry, lookUp: () => kind.read(client, zone, live) });

  // Settle.
  journal.done(entry);
  return left ? reportOverwritten(attempt, live, DONE, left) : DONE;
}

/** An object that was just read and compared, and will be deleted. */
interface Doomed {
  readonly live: Live;
  /** When it was read, in milliseconds since the epoch. */
  readonly readAt: number;
  readonly entry: Omit<JournalEntry, "before">;
  /** Reads it once more after a lost response. */
  readonly lookUp: () => Promise<Live | undefined>;
}

/**
 * Records the intent with the object's values, and deletes it. Returns what remains if it is shared with others. Throws
 * if it is not known to be gone; the intent then stays open.
 */
export async function deleteAsRead(
  attempt: Attempt,
  fresh: Try,
  { live, readAt, entry, lookUp }: Doomed,
): Promise<Live | undefined> {
  const { change, journal, kind } = attempt;
  const { address, action } = entry;
  await journal.intend({ ...entry, before: preImage(live) });
  try {
    const current = await rereadIfLate(attempt, fresh, live, readAt);
    return (await answerTo(kind.remove(fresh, current, change.prior))) ?? undefined;
  } catch (thrown) {
    if (!(thrown instanceof AmbiguousError)) journal.failed({ address, action });
    if (!(thrown instanceof AmbiguousError) || (await readOrUnknown(lookUp()))) throw thrown;
    return undefined;
  }
}

/**
 * Whether another run, since the plan was made, has replaced this object, has begun to, or no longer tracks it. Then
 * this plan may neither delete nor forget what is at the address.
 */
function isAnotherByNow(attempt: Attempt, live: Live | undefined): boolean {
  const { before, change, known } = attempt;
  if (!known.isStale) return false;
  // This plan may have been applied before. Then the state has nothing, and nothing is live.
  if (!before) return live !== undefined;
  const isSame = before.id === change.id || (before.pending !== undefined && change.resumes === true);
  // A replacement that was stopped may have deleted this object and created its successor.
  const isHalfReplaced = before.pending !== undefined && live === undefined;
  return !isSame || isHalfReplaced || (live !== undefined && isAppliedSince(attempt));
}

/** Why an object may no longer be deleted as planned: it was protected since, or deleting it now has more hazards. */
export function objectToRemoval(attempt: Attempt, live: Live): Outcome | undefined {
  const { before, change, kind } = attempt;
  if (before?.protect && !change.refused) {
    const message = `it was protected after the plan was made, and this would ${change.action} it`;
    return { status: "refused", refused: problem("protected", { message }) };
  }
  const { key, desired, prior, options } = change;
  const action = change.action === "replace" ? "replace" : "delete";
  const step = { action, key, from: live.values, leaves: [], rules: [], desired, prior, options, live } as const;
  const now = kind.hazards({ ...step, isReplaced: change.replaced === true });
  const more = now.map(({ hazard }) => hazard).filter((hazard) => !change.hazards.includes(hazard));
  return more.length === 0
    ? undefined
    : conflict(attempt, live, `it would now delete more than was approved: ${more.join(", ")}`);
}

/**
 * A hostname that moved is deleted only while the new one serves traffic. It did when the plan was made, but that may
 * have changed.
 */
async function objectToMove(
  { kind }: Attempt,
  { client, signal }: Try,
  { movesTo }: Pick<Change, "movesTo">,
): Promise<Outcome | undefined> {
  if (!movesTo) return undefined;
  const { address, zone, key } = movesTo;
  // A list that lags still shows a deleted object.
  const listed = await kind.find(client, zone, key, signal);
  const next = listed && (await kind.read(client, zone, listed, signal));
  const readiness = next && (kind.readiness?.(next) ?? "ready");
  if (readiness === "ready") return undefined;
  return { status: "held", reason: `it moves to ${address}, which ${next ? "no longer serves traffic" : "is gone"}` };
}

/**
 * A replaced object is deleted only while its successor serves traffic; the successor may have been deleted since the
 * plan.
 */
async function objectToRetirement(
  attempt: Attempt,
  fresh: Try,
  { key, replaced }: Pick<Change, "key" | "replaced">,
): Promise<Outcome | undefined> {
  const successor = replaced ? successorKey(key) : undefined;
  if (successor === undefined || (await isServedAt(attempt, fresh, successor))) return undefined;
  return { status: "held", reason: "its replacement no longer serves traffic" };
}

/**
 * Whether the object that the state has under this key serves traffic; if the state has none, the one that a list shows
 * there.
 */
async function isServedAt(
  { change, kind, known }: Attempt,
  { client, signal, zone }: Try,
  key: string,
): Promise<boolean> {
  const address = localAddress(kind.name, key);
  const others = new Set(known.idsBeside(kind.name, address));
  const knownId = known.at(address)?.id ?? "";
  const id = knownId === "" ? (await kind.find(client, zone, key, signal, others))?.id : knownId;
  const next = id === undefined || id === change.id ? undefined : await kind.read(client, zone, { id, key }, signal);
  return next !== undefined && (kind.readiness?.(next) ?? "ready") === "ready";
}
