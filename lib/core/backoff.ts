import type { Random } from "./clock.ts";

/** Pauses that double from one attempt to the next, up to the longest. */
export interface Backoff {
  readonly firstMilliseconds: number;
  readonly longestMilliseconds: number;
}

/** Doublings after which every pause is the longest one. */
const MOST_DOUBLINGS = 30;

/** The pause before another attempt, in milliseconds; `attempt` counts from 0. */
export function pauseBefore({ firstMilliseconds, longestMilliseconds }: Backoff, attempt: number): number {
  return Math.min(longestMilliseconds, firstMilliseconds * 2 ** Math.min(attempt, MOST_DOUBLINGS));
}

/** Like `pauseBefore`, minus up to half of it, so that waiting callers do not all ask at once. */
export function scatteredPauseBefore(backoff: Backoff, attempt: number, random: Random): number {
  return pauseBefore(backoff, attempt) * (0.5 + random.fraction() / 2);
}
