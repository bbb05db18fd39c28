import { type Backoff, scatteredPauseBefore } from "../core/backoff.ts";
import type { Random, SteadyClock } from "../core/clock.ts";

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
