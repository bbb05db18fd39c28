import { defined } from "../core/defined.ts";
import type { HttpResponse } from "./http.ts";

/** What is left of the service's limit, which all users of the same user's credentials share. */
export interface Remaining {
  readonly remaining: number;
  readonly resetMilliseconds: number;
  /** The quota that `remaining` is part of, if the service sends it. */
  readonly quota?: number;
  /** The length of the quota's window, if the service sends it. */
  readonly windowMilliseconds?: number;
}

/** No limit has a longer window than a day; a header that claims one is wrong. */
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
