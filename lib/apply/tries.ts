import { equal } from "../core/json.ts";
import type { Live } from "../kinds/live.ts";
import type { WriteContext } from "../kinds/traits/remote.ts";
import type { Client, FreshClient } from "../service/client.ts";
import { FRESH_MILLISECONDS } from "../service/fresh-write.ts";
import type { Needs } from "../service/places.ts";
import type { Attempt } from "./attempt.ts";
import { NotStarted } from "./run.ts";

/**
 * One try at a write. Its client writes only what it has just read; if that fails, the attempt gets another try
 * (`lib/service/fresh-write.ts`).
 */
export interface Try extends WriteContext {
  /** Creates the error that restarts this try; absent in a step of several requests, which reads before each of them. */
  readonly startOver?: () => Error;
  /** Makes a further write; its first try uses the calls that are left of this one. Absent like `startOver`. */
  readonly goOn?: FreshClient["freshly"] | undefined;
}

/**
 * Repeats tries until one succeeds. The first try uses the calls that are left of `before`. Throws what `act` throws, and
 * `NotStarted` if the run was stopped while a try waited for its turn, so that nothing of it was sent.
 */
export function inTries<T>(attempt: Attempt, needs: Needs, act: (fresh: Try) => Promise<T>, before?: Try): Promise<T> {
  const { client: service, reveal, signal, zone } = attempt;
  const freshly: FreshClient["freshly"] = (...request) => service.freshly(...request);
  const begin: Parameters<typeof freshly<T>>[1] = async (client, startOver, goOn) => {
    checkGoesOn(attempt);
    return act({ client, startOver, goOn, freshly, zone, reveal, signal });
  };
  return (before?.goOn ?? freshly)(needs, begin, signal);
}

/** The same for a step of several requests: the kind gives each of them tries of its own. */
export function inTriesOfItsOwn<T>(attempt: Attempt, act: (fresh: Try) => Promise<T>): Promise<T> {
  const { client, reveal, signal, zone } = attempt;
  return act({ client, freshly: freshlyUnderLock(attempt), zone, reveal, signal });
}

/**
 * A step of several requests records one intent, so it checks the lock again just before each write: another run that
 * took the lock meanwhile may have continued from the state, and would not know about the write. Throws `StoreConflict`
 * if the lock is lost, and `NotStarted` if the run was stopped before the first write. A step that has begun is
 * finished.
 */
function freshlyUnderLock(attempt: Attempt): FreshClient["freshly"] {
  const { client: service, journal } = attempt;
  let hasBegun = false;
  const underLock = (client: Client): Client => ({
    ...client,
    send: async (request, signal) => {
      if (request.method === "GET") return client.send(request, signal);
      await journal.checkLease();
      const answer = await client.send(request, signal);
      hasBegun = true;
      return answer;
    },
  });
  return (needs, act, signal) =>
    service.freshly(
      needs,
      async (client, startOver) => {
        if (!hasBegun) checkGoesOn(attempt);
        return act(underLock(client), startOver);
      },
      signal,
    );
}

/** Throws `NotStarted` if the run was stopped. */
function checkGoesOn({ whyStopped }: Attempt): void {
  const because = whyStopped();
  if (because !== undefined) throw new NotStarted(because);
}

/** If storing the intent takes this much of the time for which a read is valid, the write would come too late. */
const LATE_MILLISECONDS: number = FRESH_MILLISECONDS / 2;

/** Whether storing the intent took so long that the object must be read again. Outside a try, reads do not expire. */
export function isLate({ clock }: Attempt, { startOver }: Try, readAt: number): boolean {
  return startOver !== undefined && clock.now() - readAt > LATE_MILLISECONDS;
}

/**
 * The object to write: if storing the intent took long, it is read again, and the lock is checked, because the next run
 * may have done the same meanwhile. Restarts the try if the object has changed.
 */
export async function rereadIfLate(attempt: Attempt, fresh: Try, live: Live, readAt: number): Promise<Live> {
  const { client, signal, startOver, zone } = fresh;
  if (!startOver || !isLate(attempt, fresh, readAt)) return live;
  await attempt.journal.checkLease();
  const now = await attempt.kind.read(client, zone, live, signal);
  if (now?.id === live.id && equal(now.values, live.values)) return now;
  throw startOver();
}

/** The attempt without anything that could stop it: no signal, no end of its time. */
export function uninterruptible(attempt: Attempt): Attempt {
  return { ...attempt, signal: undefined, whyStopped: () => undefined };
}
