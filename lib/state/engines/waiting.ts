import { type Backoff, pauseBefore, scatteredPauseBefore } from "../../core/backoff.ts";
import type { Clock, Random, SteadyClock } from "../../core/clock.ts";

/** How somebody waits for what others have. Only the steady clock counts: the other one may be set meanwhile. */
export interface Waiting {
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly backoff: Backoff;
  /** How long, from now. */
  readonly waitMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Somebody else has it. */
export interface Busy {
  /** What the one who waits in vain is told. */
  readonly refusal: () => Error | Promise<Error>;
  /** How long this answer is waited for at least. */
  readonly leastMilliseconds?: number;
}

/** What one attempt brought. */
export type Turn<T> = { readonly taken: T } | Busy;

/** Asks again after pauses until `ask` has it. Throws the refusal once the wait is over, or the signal's reason. */
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

/** How somebody goes on trying. */
export interface Persistence {
  /** The clock that measures and waits. */
  readonly clock: Clock;
  /** The moment of that clock after which the last error is thrown; asked after each attempt. */
  readonly deadline: () => number;
  /** Whether an error may pass by itself. Every other one is thrown at once. */
  readonly isPassing: (error: unknown) => boolean;
  readonly backoff: Backoff;
  readonly away?: Away | undefined;
}

/** Tries again while errors pass by themselves, until the deadline. The signal ends the wait. Throws what `act` threw last. */
export async function insist<T>(
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

/** Is told that the server of the states does not answer, and for how long it is still asked. */
export type Away = (leftMilliseconds: number) => void;

/** Shorter than this, nobody asks why nothing happens. */
const SILENT_MILLISECONDS = 1000;

/** What is over so soon is not worth a word: an error comes then, or the work goes on. */
const SOON_MILLISECONDS = 5000;

/** To be called after each attempt of one call that got no answer; tells of it once that has lasted for a while. */
export function outage(steady: Pick<SteadyClock, "now">, away: Away = () => undefined): Away {
  let since: number | undefined;
  return (leftMilliseconds) => {
    since ??= steady.now();
    if (steady.now() - since >= SILENT_MILLISECONDS && leftMilliseconds >= SOON_MILLISECONDS) away(leftMilliseconds);
  };
}
