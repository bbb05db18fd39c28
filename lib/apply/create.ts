import { AmbiguousError } from "../service/errors.ts";
import { attemptNeeds } from "../plan/cost.ts";
import { isOlder, isProvenOurs } from "../plan/proof.ts";
import type { Live } from "../kinds/live.ts";
import type { Attempt } from "./attempt.ts";
import { differencesFromSent, isAppliedSince, isAsSent, reread } from "./compare.ts";
import { anotherSince, conflict, existsAlready } from "./conflict.ts";
import { type Compared, type Steps, write } from "./life.ts";
import { findAgain, look } from "./look.ts";
import { serviceMoment } from "./moment.ts";
import type { Performed } from "./outcome.ts";
import { makeStateObject, recordDone, SO_ALREADY } from "./record.ts";
import { answerTo, confirmWrite, reportOverwritten, unconfirmedOutcome } from "./settle.ts";

/** Creates an object that the state may know already, because this plan was applied before, wholly or in part. */
export async function createOrResume(attempt: Attempt): Promise<Performed> {
  const { before, change, clock, kind, service, zone, signal } = attempt;
  if (!before) return isAppliedSince(attempt) ? { outcome: anotherSince(attempt) } : create(attempt);
  const find = (): Promise<Live | undefined> => findLive(attempt, signal);
  // If nothing prevents duplicates, absence from a list that may lag is not enough.
  const live = before.pending
    ? await (kind.replacement === "create-first" ? findAgain(clock, find) : find())
    : await kind.read(service, zone, { id: before.id, key: change.key }, signal);
  // If the key is the name, an object with another name is another object, whatever the state says.
  if (!live || (kind.replacement !== "create-first" && live.key !== change.key))
    return isAppliedSince(attempt) ? { outcome: anotherSince(attempt) } : create(attempt);
  return isAsSent(attempt, live) ? recordDone(attempt, live, SO_ALREADY) : { outcome: conflict(attempt, live) };
}

/** Creates the object, whatever else the change does. */
export function create(attempt: Attempt): Promise<Performed> {
  return write(attempt, CREATE, attemptNeeds(attempt.change, attempt.kind, "create"));
}

/** Creates an object that does not exist. The service refuses some duplicates; for the others a read looks first. */
export const CREATE: Steps<Found, Live> = {
  reread: findInTheWay,
  compare: (attempt, live) => compare(attempt, live, serviceMoment(attempt.service, attempt.clock)),
  recordIntent,
  rereadLate: async (attempt, { startedAt }) => compare(attempt, await findInTheWay(attempt), startedAt),
  send,
  withdrawIntent: ({ address, journal }) => journal.failed({ address, action: "create" }),
  settleFailure,
  settle,
};

/** When the create began with nothing in the way, in milliseconds since the epoch. */
interface Found {
  readonly startedAt: number;
}

function compare(attempt: Attempt, inTheWay: Live | undefined, startedAt: number): Compared<Found> {
  return inTheWay ? { end: { outcome: conflict(attempt, inTheWay, MADE_SINCE) } } : { found: { startedAt } };
}

function recordIntent(attempt: Attempt): Promise<void> {
  const { address, journal } = attempt;
  return journal.intend({ address, action: "create", object: makeStateObject(attempt, undefined) });
}

async function send(attempt: Attempt): Promise<Live> {
  const { change, journal, kind } = attempt;
  // No read stops a create that needs none.
  if (kind.refusesDuplicates) await journal.checkHeld();
  return answerTo(kind.create(attempt, change.key, change.sent ?? change.desired ?? {}, change.options));
}

async function settleFailure(attempt: Attempt, { startedAt }: Found, error: unknown): Promise<Performed> {
  if (error instanceof AmbiguousError) return settleLost(attempt, startedAt, error);
  const existing = existsAlready(attempt, error);
  if (!existing) throw error;
  return (await settleAsOwn(attempt)) ?? { outcome: existing };
}

async function settle(attempt: Attempt, _found: Found, made: Live): Promise<Performed> {
  const result = await confirmCreate(attempt, made);
  if ("outcome" in result) return result;
  const performed = recordDone(attempt, result.live);
  // Without a unique name, the id is all that a later run has, so we record it before any wait.
  if (attempt.kind.replacement === "create-first") await attempt.journal.flush().catch(() => undefined);
  return reportOverwritten(attempt, NOTHING, performed, result.live);
}

/** A new object has our name and no id that we know; otherwise the response holds somebody else's record. */
function confirmCreate(attempt: Attempt, answer: Live): ReturnType<typeof confirmWrite> {
  const { change, kind, known } = attempt;
  const isKnown = ({ id }: Live): boolean =>
    !kind.isSingle && (known.addressOf(kind.name, id) !== undefined || id === change.id);
  const isOurKey = ({ key }: Live): boolean => kind.replacement === "create-first" || key === change.key;
  const isMet = (live: Live): boolean => isOurKey(live) && !isKnown(live) && isAsSent(attempt, live);
  return confirmWrite(attempt, answer, { isMet, lookUp: () => findLive(attempt, undefined) });
}

/** What a create relies on: if versions are counted, it makes the first one. */
const NOTHING: Live = { id: "", key: "", values: {}, status: { version: "0" } };

const FOUND_DIFFERENT = "the response was lost: an object with this name is live, but it is not what was sent";

const MADE_SINCE = "it was created after the plan was made";

/**
 * Finds what a create would overwrite or duplicate. A replacement that creates first cannot duplicate anything; it
 * reads the object that it replaces.
 */
async function findInTheWay(attempt: Attempt): Promise<Live | undefined> {
  const { change, client, kind, zone, signal } = attempt;
  if (kind.refusesDuplicates) return undefined;
  if (kind.replacement === "create-first" && change.action === "replace") {
    await reread(attempt);
    return undefined;
  }
  return kind.find(client, zone, change.key, signal, othersThan(attempt));
}

/** After a lost response: only a live object with what was sent proves that the create took effect. */
async function settleLost(attempt: Attempt, startedAt: number, error: AmbiguousError): Promise<Performed> {
  const live = await look(findAgain(attempt.clock, () => findLive(attempt, undefined)));
  if (!live || live === "unknown" || (attempt.kind.replacement === "create-first" && !isAsSent(attempt, live)))
    throw error;
  const [isOld, isSame] = [isOlder(live, startedAt), isAsSent(attempt, live)];
  // It is older than the request, by clocks that may be wrong. That proves nothing, so the intent stays open.
  if (isOld && isSame) throw error;
  if (isOld) {
    attempt.journal.failed({ address: attempt.address, action: "create" });
    return { outcome: conflict(attempt, live, MADE_SINCE) };
  }
  // It may be ours, and edited since.
  if (!isSame) return { outcome: unconfirmedOutcome(attempt, differencesFromSent(attempt, live), FOUND_DIFFERENT) };
  const performed = recordDone(attempt, live, { note: "the response was lost; found by its name" });
  return reportOverwritten(attempt, NOTHING, performed, live);
}

/** The object in the way may be ours: created by a run that was stopped, and missing from a list that lagged. */
async function settleAsOwn(attempt: Attempt): Promise<Performed | undefined> {
  const { before, clock, kind, signal } = attempt;
  if (!before?.pending) return undefined;
  const live = await look(findAgain(clock, () => findLive(attempt, signal)));
  if (!live || live === "unknown" || !isProvenOurs(kind, before, live)) return undefined;
  return isAsSent(attempt, live)
    ? recordDone(attempt, live, { note: "was created by a run that was stopped" })
    : undefined;
}

/**
 * The object under the name of a create whose response was lost. A list may show an object that is gone, such as the
 * one that was deleted to be replaced, so it only counts if a read by its id finds it.
 */
async function findLive(attempt: Attempt, signal: AbortSignal | undefined): Promise<Live | undefined> {
  const { change, kind, service, zone } = attempt;
  const listed = await kind.find(service, zone, change.key, signal, othersThan(attempt));
  return listed && kind.read(service, zone, { id: listed.id, key: listed.key }, signal);
}

/**
 * The ids that are known under other addresses: if several objects may share a key, the one we look for is none of
 * them.
 */
function othersThan({ address, change, kind, known }: Attempt): ReadonlySet<string> | undefined {
  if (kind.replacement !== "create-first") return undefined;
  const others = new Set(known.idsBeside(change.kind, address));
  return change.action === "replace" && change.id !== undefined ? others.add(change.id) : others;
}
