import type { Backoff } from "../../../core/backoff.ts";
import type { SteadyClock } from "../../../core/clock.ts";
import { type Away, insist } from "../waiting.ts";
import { ConnectionLost } from "./failure.ts";

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
const FIRST_PATIENCE_MILLISECONDS = 3000;

/** How long a run waits for its server. */
export function patienceOf(patienceMilliseconds: number, wasReached: boolean): number {
  return wasReached ? patienceMilliseconds : Math.min(patienceMilliseconds, FIRST_PATIENCE_MILLISECONDS);
}

/** The pauses between attempts. */
export const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 400 };

/** Whoever waits for a lock asks seldom after a while: a few of them must not keep the server busy. */
export const LOCK_BACKOFF: Backoff = { ...BACKOFF, longestMilliseconds: 2000 };

/** Who persists: the clock that it waits by, and who is told that the server does not answer. */
export interface Persisting {
  readonly steady: SteadyClock;
  readonly away?: Away | undefined;
  readonly known: Known;
}

/** What this process knows of its server. */
export interface Known {
  /** After one wait in vain, what follows tries only once: a run that ends must not wait for each thing that it does. */
  hasGivenUp: boolean;
}

/** Tries again while the connection is lost, until a moment of the steady clock; then throws the last `ConnectionLost`. */
export async function persist<T>(
  { steady, away, known }: Persisting,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const isPassing = (error: unknown): boolean => error instanceof ConnectionLost;
  const begin = steady.now();
  const end = (): number => (known.hasGivenUp ? begin : deadline());
  try {
    const result = await insist({ clock: steady, deadline: end, isPassing, backoff: BACKOFF, away }, act, signal);
    known.hasGivenUp = false;
    return result;
  } catch (error) {
    known.hasGivenUp ||= isPassing(error);
    throw error;
  }
}
