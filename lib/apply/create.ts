import type { Client } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import { attemptNeeds } from "../plan/attempt.ts";
import type { Change } from "../plan/change.ts";
import { isOlder, isProvenOurs } from "../plan/proof.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import { AT_ONCE } from "./ahead.ts";
import { answerTo, confirmWrite, unconfirmedOutcome } from "./confirm.ts";
import { conflict, existsAlready } from "./conflict.ts";
import { differencesFromSent, isAsSent, reread } from "./differences.ts";
import { findAgain } from "./find-again.ts";
import { look } from "./look.ts";
import { withOverwritten } from "./overwritten.ts";
import { addressOf, contextOf, type Performance, type Performed } from "./performance.ts";
import { remembered, settled } from "./remember.ts";
import { LATE_MILLISECONDS } from "./still-as-read.ts";

/** A create of which the state knows already: this plan has been carried out before, wholly or until it was stopped. */
export async function createOrResume(run: Performance, change: Change): Promise<Performed> {
  const before = run.before(addressOf(change));
  const kind = kindNamed(change.kind);
  if (!before) return create(run, change);
  const find = (): Promise<Live | undefined> => findLive(run, change, kind, run.signal);
  // Where nothing keeps a second one from being created, a list that lags behind must not be taken at its word.
  const live = before.pending
    ? await (kind.replacement === "create-first" ? findAgain(run.clock, find) : find())
    : await kind.read(run.client, run.zone, { id: before.id, key: change.key }, run.signal);
  // Where the key is the name itself, what has another name is another object, whatever the state calls it.
  if (!live || (kind.replacement !== "create-first" && live.key !== change.key)) return create(run, change);
  return isAsSent(run, change, kind, live)
    ? settled(run, change, live, "was so already")
    : { outcome: conflict(change, live) };
}

/** Creates: looks what is in the way, writes down the intent, sends, writes down the result. Throws what the client throws. */
export function create(run: Performance, change: Change): Promise<Performed> {
  const needs = attemptNeeds({ ...change, action: "create" });
  return run.client.freshly(needs, (client) => createOnce(run, change, client), run.signal);
}

function isBesideAnother({ action }: Change, { replacement }: Kind): boolean {
  return replacement === "create-first" && action === "replace";
}

/** One attempt at a create, with a client that holds a place for it. */
export async function createOnce(run: Performance, change: Change, client: Client): Promise<Performed> {
  const kind = kindNamed(change.kind);
  const inTheWay = await alreadyThere(run, change, kind, client);
  if (inTheWay) return { outcome: conflict(change, inTheWay, MADE_SINCE) };
  const startedAt = run.clock.now();
  const intend = (): Promise<void> =>
    run.journal.intend({
      address: addressOf(change),
      action: "create",
      object: remembered(run, change, undefined),
    });
  const ahead = kind.refusesDuplicates ? run.ahead : AT_ONCE;
  const send = await ahead.prepare(intend);
  let made: Live;
  try {
    // A slow disk would make every read too old.
    const isLate = run.clock.now() - startedAt > LATE_MILLISECONDS;
    const since = isLate ? await alreadyThere(run, change, kind, client) : undefined;
    if (since) {
      run.journal.failed({ address: addressOf(change), action: "create" });
      return { outcome: conflict(change, since, MADE_SINCE) };
    }
    made = await send(async () => {
      // A create that needs no read is not stopped by an old one, and may have been prepared before the lock was lost.
      if (kind.refusesDuplicates) await run.journal.checkHeld();
      const spec = change.sent ?? change.desired ?? {};
      return answerTo(kind.create(contextOf(run, client), change.key, spec, change.options));
    });
  } catch (error) {
    if (error instanceof AmbiguousError) return createdAfterAll(run, change, kind, startedAt, error);
    run.journal.failed({ address: addressOf(change), action: "create" });
    const existing = existsAlready(error, change);
    if (!existing) throw error;
    return (await ownAfterAll(run, change, kind)) ?? { outcome: existing };
  }
  const result = await confirmCreate(run, change, kind, made);
  if ("outcome" in result) return result;
  const performed = settled(run, change, result.live);
  // Of what has no name that is unique the id is all that a later run has: it is kept before anybody waits for anything.
  // A disk that fails here fails the next record as well, and that one is told.
  if (kind.replacement === "create-first") await run.journal.flush().catch(() => undefined);
  return withOverwritten(run, change, NOTHING, performed, result.live);
}

/** A new object has our name and none of the ids that are known: somebody else's record in the answer is not ours. */
function confirmCreate(run: Performance, change: Change, kind: Kind, answer: Live): ReturnType<typeof confirmWrite> {
  const isKnown = ({ id }: Live): boolean =>
    !kind.isSingle && (run.knownAs(kind.name, id) !== undefined || id === change.id);
  const isOurKey = ({ key }: Live): boolean => kind.replacement === "create-first" || key === change.key;
  const isMet = (live: Live): boolean => isOurKey(live) && !isKnown(live) && isAsSent(run, change, kind, live);
  return confirmWrite(run, change, kind, answer, { isMet, lookUp: () => findLive(run, change, kind, undefined) });
}

/** What a create rests on: where versions are counted, it makes the first one. */
const NOTHING: Live = { id: "", key: "", values: {}, status: { version: "0" } };

const FOUND_DIFFERENT =
  "no answer shows whether it was created: an object of this name is live, and it is not what was sent";

const MADE_SINCE = "it was created by somebody else since the plan was made";

/**
 * What a create would overwrite or double. The service itself refuses some duplicates; for the others this looks first.
 * What is created beside the one that it replaces doubles nothing, whatever else there is: that one is what is read.
 */
async function alreadyThere(run: Performance, change: Change, kind: Kind, client: Client): Promise<Live | undefined> {
  if (kind.refusesDuplicates) return undefined;
  if (isBesideAnother(change, kind)) {
    await reread(run, change, kind, client);
    return undefined;
  }
  return kind.find(client, run.zone, change.key, run.signal, othersThan(run, change));
}

async function createdAfterAll(
  run: Performance,
  change: Change,
  kind: Kind,
  startedAt: number,
  error: AmbiguousError,
): Promise<Performed> {
  const live = await look(findAgain(run.clock, () => findLive(run, change, kind, undefined)));
  if (!live || live === "unknown" || (kind.replacement === "create-first" && !isAsSent(run, change, kind, live)))
    throw error;
  const [isOld, isSame] = [isOlder(live, startedAt), isAsSent(run, change, kind, live)];
  // Older than the request, by clocks that may be wrong: that proves nothing, so the intent stays open.
  if (isOld && isSame) throw error;
  if (isOld) {
    run.journal.failed({ address: addressOf(change), action: "create" });
    return { outcome: conflict(change, live, MADE_SINCE) };
  }
  // It may be ours, and edited since.
  if (!isSame)
    return { outcome: unconfirmedOutcome(change, differencesFromSent(run, change, kind, live), FOUND_DIFFERENT) };
  const performed = settled(run, change, live, "its answer was lost; found again by its name");
  return withOverwritten(run, change, NOTHING, performed, live);
}

/** What is in the way may be our own: made by a run that was cut short, and not in the list yet when this one looked. */
async function ownAfterAll(run: Performance, change: Change, kind: Kind): Promise<Performed | undefined> {
  const before = run.before(addressOf(change));
  if (!before?.pending) return undefined;
  const live = await look(findAgain(run.clock, () => findLive(run, change, kind, run.signal)));
  if (!live || live === "unknown" || !isProvenOurs(kind, before, live)) return undefined;
  return isAsSent(run, change, kind, live)
    ? settled(run, change, live, "was created by a run that was cut short")
    : undefined;
}

/**
 * The object under the key of a create that nobody saw the answer of. What a list shows may be gone by now, such as the
 * object that was deleted to make room, so that it counts only where its id is answered for.
 */
async function findLive(
  run: Performance,
  change: Change,
  kind: Kind,
  signal: AbortSignal | undefined,
): Promise<Live | undefined> {
  const listed = await kind.find(run.client, run.zone, change.key, signal, othersThan(run, change));
  return listed && kind.read(run.client, run.zone, { id: listed.id, key: listed.key }, signal);
}

/** The ids of objects that are known under other addresses: where several may have one key, what is looked for is none of them. */
function othersThan(run: Performance, change: Change): ReadonlySet<string> | undefined {
  if (kindNamed(change.kind).replacement !== "create-first") return undefined;
  const others = new Set(run.idsBeside(change.kind, addressOf(change)));
  return change.action === "replace" && change.id !== undefined ? others.add(change.id) : others;
}
