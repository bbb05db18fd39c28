import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import { type SecretReference, fingerprint } from "../core/secret.ts";
import type { Change } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { WriteContext } from "../kinds/traits/remote.ts";
import type { Client, FreshClient } from "../service/client.ts";
import type { Needs } from "../service/places.ts";
import type { Journal } from "../state/open-journal.ts";
import { shortRun, type State, type StateObject } from "../state/state.ts";
import type { Known } from "./known.ts";
import { type ApplyRun, NotStarted, whyStopped } from "./run.ts";

/**
 * One attempt at a change: the change and everything that its writes need. If a write is retried, each try has the same
 * attempt with a client of its own.
 */
export interface Attempt extends WriteContext {
  readonly change: Change;
  readonly kind: Kind;
  /** The object's address in the state, without the zone's name. */
  readonly address: string;
  /** What the state had for the object when the run began. */
  readonly before: StateObject | undefined;
  /** The attempt at the object that the same call writes (`Change.with`). */
  readonly companion?: Attempt;
  /** What the state had for the other objects. */
  readonly known: Known;
  readonly journal: Journal;
  /** The run, as the state names it. */
  readonly run: string;
  readonly clock: Clock;
  readonly fingerprintOf: (reference: SecretReference) => string;
  /** The client for reads that no write relies on, outside all tries. `client` is the same one until a try begins. */
  readonly service: FreshClient;
  /** Why no try may begin, however long its turn with the service took, or undefined. */
  readonly whyStopped: () => string | undefined;
  /** Creates the error that restarts this try; absent outside a try. */
  readonly startOver?: () => Error;
}

/** Creates the attempts of a zone's run, one for each change. */
export type OpenAttempt = (change: Change) => Attempt;

/** Prepares the attempts of a zone. `state` is the zone's, with the key of its fingerprints. */
export function openAttempts(run: ApplyRun, zone: ZoneId, state: State, known: Known, journal: Journal): OpenAttempt {
  const { client: service, world, options } = run;
  const open: OpenAttempt = (change) => {
    const address = localAddress(change.kind, change.key);
    const kind = kindNamed(change.kind);
    return {
      change,
      kind,
      address,
      before: known.at(address),
      ...(change.with ? { companion: open(change.with) } : {}),
      known,
      journal,
      run: shortRun(run.id),
      clock: world.clock,
      fingerprintOf: (reference) => fingerprint(options.reveal(reference), state.secretKey),
      service,
      client: service,
      whyStopped: () => whyStopped(run),
      freshly: kind.severalRequests
        ? freshlyUnderLock(service, journal, () => whyStopped(run))
        : (needs, act, signal) => service.freshly(needs, act, signal),
      zone,
      reveal: options.reveal,
      signal: world.signal,
    };
  };
  return open;
}

/**
 * A step of several requests records one intent, so it checks the lock again just before each write: another
 * run that took the lock meanwhile may have continued from the state, and would not know about the write. Throws `StoreConflict` if the
 * lock is lost, and `NotStarted` if the run was stopped before the first write. A step that has begun is finished.
 */
function freshlyUnderLock(
  service: FreshClient,
  journal: Journal,
  whyStopped: Attempt["whyStopped"],
): FreshClient["freshly"] {
  let hasBegun = false;
  const held = (client: Client): Client => ({
    ...client,
    send: async (request, signal) => {
      if (request.method === "GET") return client.send(request, signal);
      await journal.checkHeld();
      const answer = await client.send(request, signal);
      hasBegun = true;
      return answer;
    },
  });
  return (needs, act, signal) =>
    service.freshly(
      needs,
      async (client, startOver) => {
        if (!hasBegun) checkGoesOn(whyStopped);
        return act(held(client), startOver);
      },
      signal,
    );
}

/** Throws `NotStarted` if the run was stopped. */
function checkGoesOn(whyStopped: Attempt["whyStopped"]): void {
  const because = whyStopped();
  if (because !== undefined) throw new NotStarted(because);
}

/**
 * Tries until a try succeeds; the client of each try only writes what it has just read. Throws what `act` throws, and
 * `NotStarted` if the run was stopped while a try waited for its turn: nothing of it was sent.
 */
export function inTries<T>(attempt: Attempt, needs: Needs, act: (attempt: Attempt) => Promise<T>): Promise<T> {
  const begin = async (client: Client, startOver: () => Error): Promise<T> => {
    checkGoesOn(attempt.whyStopped);
    return act({ ...attempt, client, startOver });
  };
  return attempt.freshly(needs, begin, attempt.signal);
}

/** The attempt without the client of its try, for what follows the write. */
export function outsideOfTry(attempt: Attempt): Attempt {
  return { ...attempt, client: attempt.service };
}

/** The attempt without anything that could stop it: no signal, no end of its time. */
export function uninterruptible(attempt: Attempt): Attempt {
  return { ...attempt, signal: undefined, whyStopped: () => undefined };
}
