import type { Clock } from "../../core/clock.ts";
import { ConnectionLost } from "./failure.ts";

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
export const FIRST_PATIENCE_MILLISECONDS = 3000;

const FIRST_DELAY_MILLISECONDS = 20;
const LONGEST_DELAY_MILLISECONDS = 400;

/** Whoever waits for a lock asks this often at least: a question costs the server little, and a pause costs the run. */
export const LOCK_DELAY_MILLISECONDS = 100;

/** The pause before another attempt; `attempt` counts from 0. */
export function delayBefore(attempt: number, longestMilliseconds: number = LONGEST_DELAY_MILLISECONDS): number {
  return Math.min(longestMilliseconds, FIRST_DELAY_MILLISECONDS * 2 ** Math.min(attempt, 10));
}

/** Tries again while the connection is lost, until a moment of the clock; then throws the last `ConnectionLost`. */
export async function persist<T>(
  clock: Clock,
  deadline: () => number,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      const left = deadline() - clock.now();
      if (left <= 0) throw error;
      await clock.sleep(Math.min(left, delayBefore(attempt)), signal);
    }
  }
}
