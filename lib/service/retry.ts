import type { Random } from "../core/clock.ts";
import type { ApiRequest } from "./client.ts";
import type { Reading } from "./envelope.ts";
import type { HttpFailure, HttpResponse } from "./http.ts";

/** How one attempt at a call ended: with an answer, or without. */
export type Attempt =
  | { readonly kind: "answered"; readonly response: HttpResponse; readonly reading: Reading }
  | { readonly kind: "failed"; readonly failure: HttpFailure };

/**
 * What follows from an attempt: it is `done`; the service `refused` it, or `throttled` it; it may be made `again`; it
 * is `lost`, so that nobody knows whether it took effect; or it is `hopeless`, nothing changed and nothing will.
 */
export type Verdict = "done" | "refused" | "throttled" | "again" | "lost" | "hopeless";

/** Attempts at one call before it is given up, refusals as one too many not counted. */
export const ATTEMPTS = 5;
/** Refusals of one call as one too many (429) before it is given up, though others may have better luck meanwhile. */
export const THROTTLES = 20;

const FIRST_DELAY_MILLISECONDS = 500;
const DELAY_LIMIT_MILLISECONDS = 8000;
/** Calls that failed together shall not come again together. */
const JITTER = 0.25;

/** The codes of the limit on all calls; 971 comes with any status, often 200 (docs/service.md#rate-limits). */
const THROTTLED_AT_ANY_STATUS = 971;
const THROTTLED = 10_100;
/** The call could not be routed (docs/service.md#error-codes). A gateway in between says the same, whatever became of the write. */
const NOT_ROUTED = 7003;

/**
 * Judges an attempt. A read may always be made again. A write may only when nothing was sent, or when it was refused as
 * one too many: whatever else goes wrong after it was sent, it may have taken effect, and is looked up, not repeated.
 * Only the service itself can refuse, in its own envelope: a proxy that says 401, 403, 404 or 407, a redirect and an
 * answer of no known form say nothing of what became of a write.
 */
export function judge(method: ApiRequest["method"], attempt: Attempt): Verdict {
  return attempt.kind === "failed" ? judgeFailure(method, attempt.failure) : judgeAnswer(method, attempt);
}

/** Whether an answer names the limit on all calls, so that everything has to pause and not only the issuing of certificates. */
export function isGeneralLimit(reading: Reading): boolean {
  return hasCode(reading, THROTTLED_AT_ANY_STATUS) || hasCode(reading, THROTTLED);
}

/** Milliseconds to wait before the attempt after `failures` failed ones: 0.5 s doubled each time, 8 s at most, up to a quarter less. */
export function delayAfter(failures: number, random: Random): number {
  const delay = Math.min(FIRST_DELAY_MILLISECONDS * 2 ** (failures - 1), DELAY_LIMIT_MILLISECONDS);
  return Math.round(delay * (1 - JITTER * random.fraction()));
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
  // Anybody in between may say 429 with a page of its own: then nobody knows whether a write was carried out before.
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

/** 408 counts with them: what the service did with a request that it found late, it does not say. */
function isServerFault(response: HttpResponse): boolean {
  return response.status >= 500 || response.status === 408;
}

function hasCode(reading: Reading, code: number): boolean {
  return reading.kind === "refusal" && reading.entries.some((entry) => entry.code === code);
}
