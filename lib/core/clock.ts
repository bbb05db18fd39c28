/** Time as a parameter: everything that waits or stamps takes a clock, so that tests can stop or move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after the delay; rejects with the signal's reason if that comes first. */
  sleep(delayMilliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Time that only passes: it is never set, so it measures durations. Its numbers mean nothing outside the process. */
export interface SteadyClock extends Clock {
  /** Like `sleep`, but it does not keep the process alive; for background work. */
  rest(delayMilliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness as a parameter. */
export interface Random {
  /** A number in [0, 1), for jitter. */
  fraction(): number;
  /** A fresh UUID, for a lineage, a run id, a lock id. */
  uuid(): string;
  /** Random bytes, good enough for a key. */
  bytes(length: number): Uint8Array;
}

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

/** Milliseconds since a moment, by the clock that shows more. */
export function elapsedSince(moment: Moment, clocks: Clocks): number {
  const now = momentOf(clocks);
  return Math.max(now.steady - moment.steady, now.clock - moment.clock);
}

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
