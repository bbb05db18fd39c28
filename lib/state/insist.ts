import { type Backoff, pauseBefore } from "../core/backoff.ts";
import type { Clock } from "../core/clock.ts";
import { type Away, outage } from "./outage.ts";

/** How somebody goes on trying. */
export interface Persistence {
  /** The clock that measures and waits. */
  readonly clock: Clock;
  /** The moment of that clock after which the last error is thrown; asked after each attempt. */
  readonly deadline: () => number;
  /** Whether an error may pass by itself. Every other one is thrown at once. */
  readonly isPassing: (error: unknown) => boolean;
  readonly backoff: Backoff;
  readonly away?: Away | undefined;
}

/** Tries again while errors pass by themselves, until the deadline. The signal ends the wait. Throws what `act` threw last. */
export async function insist<T>(
  { clock, deadline, isPassing, backoff, away }: Persistence,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const failed = outage(clock, away);
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const left = deadline() - clock.now();
      if (left <= 0) throw error;
      failed(left);
      await clock.sleep(Math.min(left, pauseBefore(backoff, attempt)), signal);
    }
  }
}
