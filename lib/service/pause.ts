import { type Backoff, pauseBefore } from "../core/backoff.ts";
/**
 * How the service's refusals (429) and warnings slow us down. It has no clock: callers pass the time (ms since the
 * epoch).
 */
export interface Pause {
  /** Milliseconds until calls may continue; 0 if they may now. */
  waitFrom(now: number): number;
  /** How often calls were refused or held back so far. */
  count(): number;
  /** Milliseconds for which the service refuses calls; 0 if we only leave the rest of the quota to others. */
  refusedFor(now: number): number;
  /**
   * Whether refusals lasted, or the service asked us to wait, for longer than a user should wait. Then nothing more is
   * sent.
   */
  isGivenUp(): boolean;
  /** A call that began at `beganAt` was refused; the service asked for a wait of this length, or did not say. */
  refused(now: number, beganAt: number, askedMilliseconds: number | undefined): void;
  /** Others need the rest of the quota: waits until the limit resets. */
  hold(now: number, milliseconds: number): void;
  /** A call got any other response: the refusals are over. */
  answered(): void;
}

/** Bounds of a pause, in milliseconds. */
export interface PauseLimits {
  /** The longest single wait, whatever the service asks for. */
  readonly longestMilliseconds: number;
  /** The wait after a refusal without a time. */
  readonly unsaidMilliseconds: number;
  /** The longest total of waits without a good response in between. */
  readonly patienceMilliseconds: number;
}

/** If the service asks for one second again and again, we retry more and more rarely, down to once a minute. */
const BACKOFF: Backoff = { firstMilliseconds: 1000, longestMilliseconds: 60_000 };

/**
 * Opens the pause of one limit. Refusals of calls that ran at the same time are one wave with one wait. Each further
 * wave waits longer. We give up when the waits reach the patience, or when the service asks for more than is left of
 * it.
 */
export function openPause(limits: PauseLimits): Pause {
  let until = -Infinity;
  let wave = { count: 0, until: -Infinity };
  let waited = 0;
  let givenUp = false;
  let count = 0;

  /**
   * Waits for the whole time that the service asks for, up to the longest wait, or not at all: a call that comes too
   * early is refused again.
   */
  const nextWave = (now: number, askedMilliseconds: number | undefined): void => {
    const left = limits.patienceMilliseconds - waited;
    const asked = Math.min(askedMilliseconds ?? 0, limits.longestMilliseconds);
    givenUp ||= left <= 0 || asked > left;
    if (givenUp) return;
    const backoff = pauseBefore(BACKOFF, wave.count);
    const wanted = Math.max(askedMilliseconds ?? limits.unsaidMilliseconds, backoff);
    const wait = Math.min(wanted, limits.longestMilliseconds, left);
    wave = { count: wave.count + 1, until: now + wait };
    waited += wait;
    until = Math.max(until, now + wait);
  };

  /** The wave is the same, but one of its calls was asked to wait longer. */
  const stretch = (now: number, askedMilliseconds: number): void => {
    const from = Math.max(now, wave.until);
    const more = now + Math.min(askedMilliseconds, limits.longestMilliseconds) - from;
    if (more <= 0) return;
    givenUp ||= more > limits.patienceMilliseconds - waited;
    if (givenUp) return;
    wave = { count: wave.count, until: from + more };
    waited += more;
    until = Math.max(until, wave.until);
  };

  return {
    waitFrom: (now) => {
      // A clock that was set back must not make the pause longer than the longest wait.
      until = Math.min(until, now + limits.longestMilliseconds);
      wave = { count: wave.count, until: Math.min(wave.until, until) };
      return Math.max(0, until - now);
    },
    count: () => count,
    refusedFor: (now) => Math.max(0, Math.min(wave.until, until) - now),
    isGivenUp: () => givenUp,
    refused: (now, beganAt, askedMilliseconds) => {
      count += 1;
      if (beganAt >= wave.until) nextWave(now, askedMilliseconds);
      else if (askedMilliseconds !== undefined) stretch(now, askedMilliseconds);
    },
    hold: (now, milliseconds) => {
      until = Math.max(until, now + Math.min(milliseconds, limits.longestMilliseconds));
    },
    answered: () => {
      wave = { count: 0, until: wave.until };
      waited = 0;
    },
  };
}
