import type { Clock, SteadyClock } from "./clock.ts";

/** A moment of both clocks: the steady one may stop while the machine sleeps, the other one may be set. */
export interface Moment {
  readonly steady: number;
  readonly clock: number;
}

interface Clocks {
  readonly steady: SteadyClock;
  readonly clock: Clock;
}

/** Now, by both clocks. */
export function momentOf({ steady, clock }: Clocks): Moment {
  return { steady: steady.now(), clock: clock.now() };
}

/** Milliseconds since a moment, by the clock that says more. */
export function elapsedSince(moment: Moment, clocks: Clocks): number {
  const now = momentOf(clocks);
  return Math.max(now.steady - moment.steady, now.clock - moment.clock);
}
