/** What the service's refusals (429) and warnings do to our pace. Knows no clock: it is told the time (ms since the epoch). */
export interface Pause {
  /** Milliseconds that calls still have to wait; 0 when they may go. */
  waitFrom(now: number): number;
  /** How often calls were refused or held so far. */
  count(): number;
  /** Milliseconds for which the service refuses calls; 0 where calls only leave to others what is left. */
  refusedFor(now: number): number;
  /** Whether refusals went on, or the service asked for a wait, for longer than anybody should wait. Nothing is sent any more then. */
  isGivenUp(): boolean;
  /** A call that began at `beganAt` was refused; the service asked for this long a wait, or did not say. */
  refused(now: number, beganAt: number, askedMilliseconds: number | undefined): void;
  /** Others need what is left: waits for the reset of the limit. */
  hold(now: number, milliseconds: number): void;
  /** A call was answered otherwise: the storm is over. */
  answered(): void;
}

/** Bounds of a pause, in milliseconds. */
export interface PauseLimits {
  /** The longest single wait, whatever the service asks for. */
  readonly longestMilliseconds: number;
  /** The wait after a refusal that does not say for how long. */
  readonly unsaidMilliseconds: number;
  /** All waits without a good answer between them. */
  readonly patienceMilliseconds: number;
}

/** A service that asks for a second again and again is asked ever less often, up to once a minute. */
const SHORTEST_WAIT_MILLISECONDS = 1000;
const BACKOFF_LIMIT_MILLISECONDS = 60_000;

/**
 * Opens the pause of one limit. Refusals of calls that were under way together are one wave and wait once; every
 * further wave waits longer, and when the waits come to the patience, or the service asks for more than is left of it, it is given up.
 */
export function openPause(limits: PauseLimits): Pause {
  let until = -Infinity;
  let wave = { count: 0, until: -Infinity };
  let waited = 0;
  let givenUp = false;
  let count = 0;

  /** What the service asks for, up to the longest wait, is waited for in full or not at all: a call that comes too early is refused again. */
  const nextWave = (now: number, askedMilliseconds: number | undefined): void => {
    const left = limits.patienceMilliseconds - waited;
    const asked = Math.min(askedMilliseconds ?? 0, limits.longestMilliseconds);
    givenUp ||= left <= 0 || asked > left;
    if (givenUp) return;
    const backoff = Math.min(SHORTEST_WAIT_MILLISECONDS * 2 ** wave.count, BACKOFF_LIMIT_MILLISECONDS);
    const wanted = Math.max(askedMilliseconds ?? limits.unsaidMilliseconds, backoff);
    const wait = Math.min(wanted, limits.longestMilliseconds, left);
    wave = { count: wave.count + 1, until: now + wait };
    waited += wait;
    until = Math.max(until, now + wait);
  };

  /** The same wave, and one of its calls was asked to wait for longer than those before it. */
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
      // A clock that was set back must not make the pause longer than any pause may be.
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
