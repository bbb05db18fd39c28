import {
  type Backoff,
  type Clock,
  pauseBefore,
  type Random,
  scatteredPauseBefore,
  type SteadyClock,
} from "../../core/clock.ts";

/** How to wait for something that others hold. Only the steady clock counts: the other one may be set meanwhile. */
export interface Waiting {
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly backoff: Backoff;
  /** How long to wait from now. */
  readonly waitMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Another process holds it. */
export interface Busy {
  /** Makes the error for the end of the wait. */
  readonly refusal: () => Error | Promise<Error>;
  /** How long to wait at least after this answer. */
  readonly leastMilliseconds?: number;
}

/** The result of one attempt. */
export type Turn<T> = { readonly taken: T } | Busy;

/** Repeats `ask` with pauses until it succeeds. Throws the refusal once the wait is over, or the signal's reason. */
export async function waitTurn<T>(
  { steady, random, backoff, waitMilliseconds, signal }: Waiting,
  ask: () => Promise<Turn<T>>,
): Promise<T> {
  const began = steady.now();
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const turn = await ask();
    if ("taken" in turn) return turn.taken;
    const left = began + Math.max(waitMilliseconds, turn.leastMilliseconds ?? 0) - steady.now();
    if (left <= 0) throw await turn.refusal();
    await steady.sleep(Math.min(left, scatteredPauseBefore(backoff, attempt, random)), signal);
  }
}

/** How to retry. */
export interface Persistence {
  /** The clock that measures and waits. */
  readonly clock: Clock;
  /** The moment of that clock after which the last error is thrown; read after each attempt. */
  readonly deadline: () => number;
  /** Whether an error is transient. Every other one is thrown at once. */
  readonly isPassing: (error: unknown) => boolean;
  readonly backoff: Backoff;
  readonly away?: Away | undefined;
}

/** Retries transient errors until the deadline. The signal ends the wait. Throws what `act` threw last. */
export async function retryUntil<T>(
  { clock, deadline, isPassing, backoff, away }: Persistence,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const failed = outage(clock, away);
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const left = deadline() - clock.now();
      if (left <= 0) throw error;
      failed(left);
      await clock.sleep(Math.min(left, pauseBefore(backoff, attempt)), signal);
    }
  }
}

/** Called when the state server does not respond, with the time that is left for retries. */
export type Away = (leftMilliseconds: number) => void;

/** Outages shorter than this are not reported. */
const SILENT_MILLISECONDS = 1000;

/** With less time left than this, nothing is reported: an error comes soon, or the work goes on. */
const SOON_MILLISECONDS = 5000;

/**
 * Call it after each attempt of one call that got no response; it reports the outage once it has lasted for a while.
 */
export function outage(steady: Pick<SteadyClock, "now">, away: Away = () => undefined): Away {
  let since: number | undefined;
  return (leftMilliseconds) => {
    since ??= steady.now();
    if (steady.now() - since >= SILENT_MILLISECONDS && leftMilliseconds >= SOON_MILLISECONDS) away(leftMilliseconds);
  };
}
