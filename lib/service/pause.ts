import { type Backoff, pauseBefore } from "../core/clock.ts";
import { defined } from "../core/json.ts";
import type { HttpResponse } from "./http.ts";

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
interface PauseLimits {
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

/** What is left of the service's limit, which all users of the same user's credentials share. */
interface Remaining {
  readonly remaining: number;
  readonly resetMilliseconds: number;
  /** The quota that `remaining` is part of, if the service sends it. */
  readonly quota?: number;
  /** The length of the quota's window, if the service sends it. */
  readonly windowMilliseconds?: number;
}

/** No limit has a longer window than a day; a header that names one is wrong. */
const LONGEST_WINDOW_MILLISECONDS = 86_400_000;

/**
 * Reads `Ratelimit: "default";r=50;t=30` and `Ratelimit-Policy: "burst";q=100;w=60` (docs/service.md#rate-limits). Of
 * several limits it takes the one with the least left, with the policy of that name, or the first if no name matches
 * (they differ in the service's own example). Undefined if the headers are absent or unreadable.
 */
export function readRemaining(response: HttpResponse): Remaining | undefined {
  const limits = response.headers["ratelimit"];
  if (limits === undefined) return undefined;
  let scarcest: Limit | undefined;
  for (const text of limits.split(",")) {
    const limit = limitOf(text);
    if (limit && (scarcest === undefined || limit.remaining < scarcest.remaining)) scarcest = limit;
  }
  if (scarcest === undefined) return undefined;
  const { name, remaining, resetMilliseconds } = scarcest;
  const policy = policyOf(response.headers["ratelimit-policy"] ?? "", name);
  const [quota, seconds] = [parameter(policy, "q"), parameter(policy, "w")];
  const windowMilliseconds = (seconds ?? 0) * 1000;
  const isWindow = windowMilliseconds > 0 && windowMilliseconds <= LONGEST_WINDOW_MILLISECONDS;
  return {
    remaining,
    resetMilliseconds,
    ...defined({ quota }),
    ...(isWindow ? { windowMilliseconds } : {}),
  };
}

/**
 * Reads `Retry-After`: whole seconds or an HTTP date, in milliseconds from `now`. Undefined if it is absent,
 * unreadable, or not in the future; the caller limits its size.
 */
export function readRetryAfter(response: HttpResponse, now: number): number | undefined {
  const text = (response.headers["retry-after"] ?? "").trim();
  const delay = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return delay > 0 ? delay : undefined;
}

interface Limit {
  readonly name: string;
  readonly remaining: number;
  readonly resetMilliseconds: number;
}

function limitOf(text: string): Limit | undefined {
  const [remaining, reset] = [parameter(text, "r"), parameter(text, "t")];
  if (remaining === undefined || reset === undefined) return undefined;
  return { name: nameIn(text), remaining, resetMilliseconds: reset * 1000 };
}

function policyOf(policies: string, name: string): string {
  if (!policies.includes(",")) return policies;
  const each = policies.split(",");
  return each.find((text) => nameIn(text) === name) ?? each[0] ?? "";
}

function nameIn(text: string): string {
  const end = text.indexOf(";");
  return (end < 0 ? text : text.slice(0, end)).trim();
}

const PARAMETERS = {
  r: /;\s*r=(\d{1,12})(?=[;,\s]|$)/,
  t: /;\s*t=(\d{1,12})(?=[;,\s]|$)/,
  q: /;\s*q=(\d{1,12})(?=[;,\s]|$)/,
  w: /;\s*w=(\d{1,12})(?=[;,\s]|$)/,
} as const;

function parameter(text: string, name: keyof typeof PARAMETERS): number | undefined {
  const digits = PARAMETERS[name].exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Accepts only HTTP's own format (`Wed, 21 Oct 2015 07:28:00 GMT`): `Date.parse` takes `-1` for a year. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
