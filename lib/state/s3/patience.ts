import type { Backoff } from "../../core/backoff.ts";
import type { SteadyClock } from "../../core/clock.ts";
import { insist } from "../insist.ts";
import { BucketLost } from "./bucket.ts";

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
export const FIRST_PATIENCE_MILLISECONDS = 5000;

/** The pauses between attempts. */
export const BACKOFF: Backoff = { firstMilliseconds: 50, longestMilliseconds: 2000 };

/** Tries again while no answer comes, until a moment of the steady clock; then throws the last `BucketLost`. The signal ends the wait. */
export async function persist<T>(
  clock: SteadyClock,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const isPassing = (error: unknown): boolean => error instanceof BucketLost;
  return insist({ clock, deadline, isPassing, backoff: BACKOFF }, act, signal);
}
