import type { SteadyClock } from "../../core/clock.ts";
import { BucketLost } from "./bucket.ts";

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
export const FIRST_PATIENCE_MILLISECONDS = 5000;

const FIRST_DELAY_MILLISECONDS = 50;
const LONGEST_DELAY_MILLISECONDS = 2000;

/** The pause before another attempt; `attempt` counts from 0. */
export function delayBefore(attempt: number): number {
  return Math.min(LONGEST_DELAY_MILLISECONDS, FIRST_DELAY_MILLISECONDS * 2 ** Math.min(attempt, 10));
}

/** Tries again while no answer comes, until a moment of the steady clock; then throws the last `BucketLost`. The signal ends the wait. */
export async function persist<T>(
  steady: SteadyClock,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof BucketLost)) throw error;
      const left = deadline() - steady.now();
      if (left <= 0) throw error;
      await steady.sleep(Math.min(left, delayBefore(attempt)), signal);
    }
  }
}
