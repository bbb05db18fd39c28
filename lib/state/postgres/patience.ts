import type { Clock } from "../../core/clock.ts";
import { ConnectionLost } from "./failure.ts";

/** How long a run that reached its server once waits for it to come back. */
export const PATIENCE_MILLISECONDS = 60_000;

/** How long it waits before the first contact: the address may as well be wrong. */
export const FIRST_PATIENCE_MILLISECONDS = 3000;

const FIRST_DELAY_MILLISECONDS = 20;
const LONGEST_DELAY_MILLISECONDS = 400;

/** The pause before another attempt; `attempt` counts from 0. */
export function delayBefore(attempt: number): number {
  return Math.min(LONGEST_DELAY_MILLISECONDS, FIRST_DELAY_MILLISECONDS * 2 ** Math.min(attempt, 10));
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
