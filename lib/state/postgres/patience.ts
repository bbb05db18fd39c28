import type { Backoff } from "../../core/backoff.ts";
import type { SteadyClock } from "../../core/clock.ts";
import { insist } from "../insist.ts";
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

/** Whoever waits for a lock asks more often: a question costs the server little, and a pause costs the run. */
export const LOCK_BACKOFF: Backoff = { ...BACKOFF, longestMilliseconds: 100 };

/** Tries again while the connection is lost, until a moment of the steady clock; then throws the last `ConnectionLost`. */
export async function persist<T>(
  steady: SteadyClock,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const isPassing = (error: unknown): boolean => error instanceof ConnectionLost;
  return insist({ clock: steady, deadline, isPassing, backoff: BACKOFF }, act, signal);
}
