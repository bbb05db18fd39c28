import { type Backoff, pauseBefore, type Random } from "../core/clock.ts";
import type { ApiRequest } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Reading } from "./envelope.ts";
import { ApiError, type ApiErrorEntry, UnreachableError } from "./errors.ts";
import type { HttpFailure, HttpResponse } from "./http.ts";

/** How one attempt at a call ended: with a response, or without. */
export type Attempt =
  | { readonly kind: "answered"; readonly response: HttpResponse; readonly reading: Reading }
  | { readonly kind: "failed"; readonly failure: HttpFailure };

/**
 * What follows from an attempt: it is `done`; the service `refused` or `throttled` it; it may be retried (`again`); it
 * is `lost`: it may or may not have taken effect; or it is `hopeless`: nothing changed and nothing will.
 */
export type Verdict = "done" | "refused" | "throttled" | "again" | "lost" | "hopeless";

/** Attempts before we give up on a call, not counting 429 refusals. */
export const ATTEMPTS = 5;
/** Refusals with 429 before we give up on a call, even if others succeed meanwhile. */
export const THROTTLES = 20;

const BACKOFF: Backoff = { firstMilliseconds: 500, longestMilliseconds: 8000 };
/** Calls that failed together must not be retried together. */
const JITTER = 0.25;

/** The codes of the limit on all calls; 971 comes with any status, often 200 (docs/service.md#rate-limits). */
const THROTTLED_AT_ANY_STATUS = 971;
const THROTTLED = 10_100;
/**
 * The call could not be routed (docs/service.md#error-codes). A gateway in between sends the same code, whether or not
 * the write took effect.
 */
const NOT_ROUTED = 7003;

/**
 * Judges an attempt. A read may always be retried. A write may be retried only if nothing was sent, or if it was
 * refused with 429. After any other failure it may have taken effect, so it is looked up and not repeated. A write is
 * repeated in two places, by this judgement: here, for calls that need no fresh read, and in `fresh-write.ts`, which
 * reads again first. Only the service itself can refuse, in its own envelope: a proxy's 401, 403, 404 or 407, a
 * redirect and an unknown response say nothing about a write.
 */
export function judge(method: ApiRequest["method"], attempt: Attempt): Verdict {
  return attempt.kind === "failed" ? judgeFailure(method, attempt.failure) : judgeAnswer(method, attempt);
}

/** Whether a response names the limit on all calls, so that everything pauses and not only issuing. */
export function isGeneralLimit(reading: Reading): boolean {
  return hasCode(reading, THROTTLED_AT_ANY_STATUS) || hasCode(reading, THROTTLED);
}

/**
 * Milliseconds to wait before the attempt after `failures` failed ones: 0.5 s, doubled each time, at most 8 s, minus up
 * to a quarter.
 */
export function delayAfter(failures: number, random: Random): number {
  return Math.round(pauseBefore(BACKOFF, failures - 1) * (1 - JITTER * random.fraction()));
}

function judgeFailure(method: ApiRequest["method"], failure: HttpFailure): Verdict {
  if (method !== "GET" && failure.sent) return "lost";
  switch (failure.reason) {
    case "tls":
    case "too-large":
    case "aborted":
    case "forbidden":
      return "hopeless";
    case "name":
    case "refused":
    case "timeout":
    case "cut":
    case "late":
    case "other":
      return "again";
    default:
      return failure.reason satisfies never;
  }
}

function judgeAnswer(method: ApiRequest["method"], { response, reading }: Attempt & { kind: "answered" }): Verdict {
  // Any proxy can send its own 429 page; then it is unknown whether the write took effect.
  const isTooMany = response.status === 429 && (method === "GET" || reading.kind === "refusal");
  if (isTooMany || hasCode(reading, THROTTLED_AT_ANY_STATUS)) return "throttled";
  if (reading.kind === "success") return "done";
  const isEvidence = method === "GET" || !hasCode(reading, NOT_ROUTED);
  if (reading.kind === "refusal" && !isServerFault(response) && isEvidence) return "refused";
  if (method !== "GET") return "lost";
  return isRedirect(response) ? "hopeless" : "again";
}

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400;
}

/** Includes 408: the service does not say what it did with a late request. */
function isServerFault(response: HttpResponse): boolean {
  return response.status >= 500 || response.status === 408;
}

function hasCode(reading: Reading, code: number): boolean {
  return reading.kind === "refusal" && reading.entries.some((entry) => entry.code === code);
}

/** Names a call in messages: method and path, without the query. */
export function nameOf(request: ApiRequest): string {
  return `${request.method} ${request.path}`;
}

/** Makes an error message that names the call. */
export function callError(endpoint: Endpoint, request: ApiRequest, made: Attempt): ApiError | UnreachableError {
  const name = nameOf(request);
  if (made.kind === "failed") return unanswered(endpoint, name, made.failure);
  const { response, reading } = made;
  if (reading.kind === "refusal") return refusal(request, response, reading.entries);
  if (response.status === 429) return refusal(request, response, [{ message: `the answer was ${wasOf(reading)}` }]);
  const requestId = requestIdOf(response);
  const place = `(status ${response.status}${requestId === undefined ? "" : `, request ${requestId}`})`;
  if (response.status >= 300 && response.status < 400) {
    const said = `${name} at ${endpoint.url} was answered with a redirect, which is not followed ${place}`;
    return new UnreachableError(said, { reason: "redirect" });
  }
  const reason = reading.kind === "unusable" ? "unusable" : "unreadable";
  return new UnreachableError(`${name} at ${endpoint.url} was answered ${wasOf(reading)} ${place}`, { reason });
}

function wasOf(reading: Exclude<Reading, { readonly kind: "refusal" }>): string {
  return reading.kind === "success" ? "a success" : reading.was;
}

function unanswered(endpoint: Endpoint, name: string, cause: HttpFailure): UnreachableError {
  return new UnreachableError(`${name} at ${endpoint.url} got no response: ${cause.message}`, { cause });
}

function refusal(request: ApiRequest, response: HttpResponse, entries: readonly ApiErrorEntry[]): ApiError {
  return new ApiError({
    family: request.family,
    codes: request.codes,
    status: response.status,
    entries,
    requestId: requestIdOf(response),
    request: nameOf(request),
  });
}

/** Every response has a `Cf-Ray` (docs/service.md#envelope). */
function requestIdOf(response: HttpResponse): string | undefined {
  return response.headers["cf-ray"];
}
