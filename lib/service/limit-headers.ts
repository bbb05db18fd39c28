import type { HttpResponse } from "./http.ts";

/** What is left of the service's limit, over everybody who uses the same user's credentials. */
export interface Remaining {
  readonly remaining: number;
  readonly resetMilliseconds: number;
  /** The quota that `remaining` is part of, where the service says it. */
  readonly quota?: number;
}

/**
 * Reads `Ratelimit: "default";r=50;t=30` and `Ratelimit-Policy: "burst";q=100;w=60` (public fact, section 1.4).
 * Of several limits the scarcest counts. Undefined where the headers are absent or garbage.
 */
export function readRemaining(response: HttpResponse): Remaining | undefined {
  const limits = (response.headers["ratelimit"] ?? "").split(",").flatMap(limitOf);
  const scarcest = limits.sort((left, right) => left.remaining - right.remaining)[0];
  if (scarcest === undefined) return undefined;
  const quota = parameter(response.headers["ratelimit-policy"] ?? "", "q");
  return quota === undefined ? scarcest : { ...scarcest, quota };
}

/**
 * Reads `Retry-After`: whole seconds or an HTTP date, in milliseconds from `now`. Undefined where it is absent,
 * garbage, or not in the future; a number of any size comes back as it is, the caller bounds it.
 */
export function readRetryAfter(response: HttpResponse, now: number): number | undefined {
  const text = (response.headers["retry-after"] ?? "").trim();
  const delay = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return delay > 0 ? delay : undefined;
}

function limitOf(text: string): readonly Remaining[] {
  const [remaining, reset] = [parameter(text, "r"), parameter(text, "t")];
  return remaining === undefined || reset === undefined ? [] : [{ remaining, resetMilliseconds: reset * 1000 }];
}

function parameter(text: string, name: "r" | "t" | "q"): number | undefined {
  const digits = new RegExp(`;\\s*${name}=(\\d{1,12})(?=[;,\\s]|$)`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Only the form that HTTP prescribes (`Wed, 21 Oct 2015 07:28:00 GMT`): `Date.parse` takes `-1` for a year. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
