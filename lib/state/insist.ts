import { type Backoff, pauseBefore } from "../core/backoff.ts";
import type { Clock } from "../core/clock.ts";

/** How somebody goes on trying. */
export interface Persistence {
  /** The clock that measures and waits. */
  readonly clock: Clock;
  /** The moment of that clock after which the last error is thrown; asked after each attempt. */
  readonly deadline: () => number;
  /** Whether an error may pass by itself. Every other one is thrown at once. */
  readonly isPassing: (error: unknown) => boolean;
  readonly backoff: Backoff;
}

/** Tries again while errors pass by themselves, until the deadline. The signal ends the wait. Throws what `act` threw last. */
export async function insist<T>(
  { clock, deadline, isPassing, backoff }: Persistence,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const left = deadline() - clock.now();
      if (left <= 0) throw error;
      await clock.sleep(Math.min(left, pauseBefore(backoff, attempt)), signal);
    }
  }
}
