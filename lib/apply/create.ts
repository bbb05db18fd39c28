import type { JsonObject } from "../core/json.ts";
import { attemptNeeds } from "../plan/cost.ts";
import type { ChangeTo } from "../plan/change.ts";
import { isOlder, isProvenOurs } from "../plan/subject.ts";
import type { Live } from "../kinds/live.ts";
import { serviceMoment } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import { type Attempt, findAgain, readOrUnknown, reread } from "./attempt.ts";
import { isAppliedSince, Sight } from "./compare.ts";
import { anotherSince, conflict, existsAlready } from "./conflict.ts";
import type { Performed } from "./outcome.ts";
import {
  answerTo,
  confirmWrite,
  makeStateObject,
  recordDone,
  reportOverwritten,
  SO_ALREADY,
  unconfirmedOutcome,
} from "./settle.ts";
import { inTries, isLate, type Try } from "./tries.ts";

/** Creates an object that the state may have already, because this plan was applied before, wholly or in part. */
export async function createOrResume(attempt: Attempt, change: ChangeTo<"create" | "replace">): Promise<Performed> {
  const { before, client, clock, kind, zone, signal } = attempt;
  const sent = change.sent ?? change.desired;
  if (!before) return isAppliedSince(attempt) ? { outcome: anotherSince(attempt) } : create(attempt, sent);
  const find = (): Promise<Live | undefined> => findLive(attempt, signal);
  // If the service does not refuse duplicates, absence from a list that may lag is not enough.
  const live = before.pending
    ? await (kind.replacement === "create-first" ? findAgain(clock, find) : find())
    : await kind.read(client, zone, { id: before.id, key: change.key }, signal);
  // If the key is the name, an object with another name is another object, whatever the state says.
  if (!live || (kind.replacement !== "create-first" && live.key !== change.key))
    return isAppliedSince(attempt) ? { outcome: anotherSince(attempt) } : create(attempt, sent);
  return new Sight(attempt, live).isAsSent
    ? recordDone(attempt, live, SO_ALREADY)
    : { outcome: conflict(attempt, live) };
}

/** Creates the object, whatever else the change does. `before` is the try that deleted the replaced object. */
export function create(attempt: Attempt, sent: JsonObject, before?: Try): Promise<Performed> {
  const needs = attemptNeeds(attempt.change, attempt.kind, "create");
  return inTries(attempt, needs, (fresh) => createOnce(attempt, fresh, sent), before);
}

/** Creates an object that does not exist. The service refuses some duplicates; for the others, a read checks first. */
export async function createOnce(attempt: Attempt, fresh: Try, sent: JsonObject): Promise<Performed> {
  const { address, change, client, clock, journal, kind } = attempt;

  // Reread and compare: nothing may have our name.
  const inTheWay = await findInTheWay(attempt, fresh);
  const readAt = clock.now();
  if (inTheWay) return { outcome: conflict(attempt, inTheWay, MADE_SINCE) };
  const startedAt = serviceMoment(client, clock);

  // Intend.
  await journal.intend({ address, action: "create", object: makeStateObject(attempt, undefined) });

  // Send.
  let answer: Live;
  try {
    const late = isLate(attempt, fresh, readAt) ? await findInTheWayUnderLock(attempt, fresh) : undefined;
    if (late) {
      journal.failed({ address, action: "create" });
      return { outcome: conflict(attempt, late, MADE_SINCE) };
    }
    // A create without a read before it checks the lock here instead.
    if (kind.refusesDuplicates) await journal.checkLease();
    answer = await answerTo(kind.create(fresh, change.key, sent, change.options));
  } catch (error) {
    // A lost response is not a failure: the intent stays open until a read shows what happened.
    if (error instanceof AmbiguousError) return settleLost(attempt, startedAt, error);
    journal.failed({ address, action: "create" });
    const existing = existsAlready(attempt, error);
    if (!existing) throw error;
    return (await settleAsOwn(attempt)) ?? { outcome: existing };
  }

  // Settle.
  const result = await confirmCreate(attempt, answer);
  if ("outcome" in result) return result;
  const { live } = result.seen;
  const performed = recordDone(attempt, live);
  // Without a unique name, a later run can find the object only by its id, so we record the id before any wait.
  if (kind.replacement === "create-first") await journal.flush().catch(() => undefined);
  return reportOverwritten(attempt, NOTHING, performed, live);
}

/**
 * The response must show a new object with our name and an id that we do not know; otherwise it holds a foreign record.
 */
function confirmCreate(attempt: Attempt, answer: Live): ReturnType<typeof confirmWrite> {
  const { change, kind, known } = attempt;
  const isKnown = ({ id }: Live): boolean =>
    !kind.isSingle && (known.addressOf(kind.name, id) !== undefined || id === change.id);
  const isOurKey = ({ key }: Live): boolean => kind.replacement === "create-first" || key === change.key;
  const isMet = (seen: Sight): boolean => isOurKey(seen.live) && !isKnown(seen.live) && seen.isAsSent;
  return confirmWrite(attempt, answer, { isMet, lookUp: () => findLive(attempt, undefined) });
}

/** What a create relies on: nothing. If versions are counted, it makes the first one. */
const NOTHING: Live = { id: "", key: "", values: {}, status: { version: "0" } };

const FOUND_DIFFERENT = "the response was lost: an object with this name is live, but it is not what was sent";

const MADE_SINCE = "it was created after the plan was made";

/**
 * Finds what a create would overwrite or duplicate. A replacement that creates first cannot duplicate anything; it
 * reads the object that it replaces.
 */
async function findInTheWay(attempt: Attempt, fresh: Try): Promise<Live | undefined> {
  const { change, kind } = attempt;
  if (kind.refusesDuplicates) return undefined;
  if (kind.replacement === "create-first" && change.action === "replace") {
    await reread(attempt, fresh);
    return undefined;
  }
  return kind.find(fresh.client, fresh.zone, change.key, fresh.signal, idsOfOthers(attempt));
}

/** Checks again, if the lock is still held: the next run may have created the object meanwhile. */
async function findInTheWayUnderLock(attempt: Attempt, fresh: Try): Promise<Live | undefined> {
  await attempt.journal.checkLease();
  return findInTheWay(attempt, fresh);
}

/** After a lost response: only a live object with what was sent proves that the create took effect. */
async function settleLost(attempt: Attempt, startedAt: number, error: AmbiguousError): Promise<Performed> {
  const live = await readOrUnknown(findAgain(attempt.clock, () => findLive(attempt, undefined)));
  if (!live || live === "unknown") throw error;
  const seen = new Sight(attempt, live);
  if (attempt.kind.replacement === "create-first" && !seen.isAsSent) throw error;
  const [isOld, isSame] = [isOlder(live, startedAt), seen.isAsSent];
  // It is older than the request, by clocks that may be wrong. That proves nothing, so the intent stays open.
  if (isOld && isSame) throw error;
  if (isOld) {
    attempt.journal.failed({ address: attempt.address, action: "create" });
    return { outcome: conflict(attempt, live, MADE_SINCE) };
  }
  // It may be ours, and changed since.
  if (!isSame) return { outcome: unconfirmedOutcome(attempt, seen.differencesFromSent, FOUND_DIFFERENT) };
  const performed = recordDone(attempt, live, { note: "the response was lost; found by its name" });
  return reportOverwritten(attempt, NOTHING, performed, live);
}

/** The object in the way may be ours: created by a run that was stopped, and missing from a list that lagged. */
async function settleAsOwn(attempt: Attempt): Promise<Performed | undefined> {
  const { before, clock, kind, signal } = attempt;
  if (!before?.pending) return undefined;
  const live = await readOrUnknown(findAgain(clock, () => findLive(attempt, signal)));
  if (!live || live === "unknown" || !isProvenOurs(kind, before, live)) return undefined;
  return new Sight(attempt, live).isAsSent
    ? recordDone(attempt, live, { note: "was created by a run that was stopped" })
    : undefined;
}

/**
 * The object under the name of a create whose response was lost. A list may show a deleted object, such as the replaced
 * one, so it only counts if a read by its id finds it.
 */
async function findLive(attempt: Attempt, signal: AbortSignal | undefined): Promise<Live | undefined> {
  const { change, client, kind, zone } = attempt;
  const listed = await kind.find(client, zone, change.key, signal, idsOfOthers(attempt));
  return listed && kind.read(client, zone, { id: listed.id, key: listed.key }, signal);
}

/**
 * The ids that are known at other addresses. If several objects may share a key, none of these is the one we look for.
 */
function idsOfOthers({ address, change, kind, known }: Attempt): ReadonlySet<string> | undefined {
  if (kind.replacement !== "create-first") return undefined;
  const others = new Set(known.idsBeside(change.kind, address));
  return change.action === "replace" ? others.add(change.id) : others;
}
