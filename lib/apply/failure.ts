import { AmbiguousError, ApiError, UnreachableError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { StateError } from "../state/error.ts";
import { isLeaseLost } from "../state/store.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome, Performed } from "./outcome.ts";
import { NotStarted } from "./run.ts";

/** The one place where an error becomes an outcome. `stops` says that every other change would fail the same way. */
export function judgeFailure({ change, signal }: Attempt, thrown: unknown): Performed {
  if (signal?.aborted && thrown === signal.reason) {
    return { outcome: { status: "not-started", because: "the run was interrupted" } };
  }
  if (thrown instanceof NotStarted) return { outcome: { status: "not-started", because: thrown.message } };
  const diagnostic = { ...explainFailure(thrown), address: change.address };
  if (thrown instanceof AmbiguousError) return { outcome: { status: "unknown", diagnostic } };
  const outcome: Outcome = { status: "failed", diagnostic, ...(isFinal(thrown) ? { isFinal: true } : {}) };
  // The intent could not be recorded, so the request was not sent.
  if (isLeaseLost(thrown))
    return { outcome: { status: "not-started", because: thrown.message }, stops: thrown.message };
  if (thrown instanceof StateError) return { outcome, stops: "the state cannot be written" };
  if (thrown instanceof UnreachableError) return { outcome, stops: "Cloudflare cannot be reached" };
  if (thrown instanceof ApiError && thrown.status === 429)
    return { outcome, stops: "Cloudflare refuses further calls for now" };
  if (thrown instanceof ApiError && (thrown.status === 401 || thrown.has(10000)))
    return { outcome, stops: "Cloudflare refuses the credentials" };
  return { outcome };
}

/** The service refuses a bad request (400, 422) every time; other refusals may pass. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 400 || thrown.status === 422);
}
