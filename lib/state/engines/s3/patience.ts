import type { Backoff } from "../../../core/backoff.ts";
import type { SteadyClock } from "../../../core/clock.ts";
import { insist } from "../../insist.ts";
import type { Away } from "../../outage.ts";
import { BucketLost } from "./bucket.ts";

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
export const FIRST_PATIENCE_MILLISECONDS = 5000;

/** The pauses between attempts. */
export const BACKOFF: Backoff = { firstMilliseconds: 50, longestMilliseconds: 2000 };

/** Who persists: the clock that it waits by, and who is told that the server does not answer. */
export interface Persisting {
  readonly steady: SteadyClock;
  readonly away?: Away | undefined;
}

/** Tries again while no answer comes, until a moment of the steady clock; then throws the last `BucketLost`. The signal ends the wait. */
export async function persist<T>(
  { steady, away }: Persisting,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const isPassing = (error: unknown): boolean => error instanceof BucketLost;
  return insist({ clock: steady, deadline, isPassing, backoff: BACKOFF, away }, act, signal);
}
