import type { DiagnosticDetails } from "./diagnostic.ts";

/**
 * 1,200 calls in 5 minutes per user, across all of the user's keys, tokens and the dashboard
 * (docs/service.md#rate-limits).
 */
export const API_CALLS = 1200;
export const API_WINDOW_MILLISECONDS = 300_000;
export const ISSUANCE_WINDOW_MILLISECONDS = 60_000;

/** One of our own limits, or none: then only the service's refusals and headers slow a run down. */
export type Limited = number | "unlimited";

/** The share of the service's limits that a run may use (`budget` of the project file). */
export interface Budget {
  /** The share of the calls, above 0 and at most 1. */
  readonly apiShare: Limited;
  /** How many certificates a minute the account may order. */
  readonly issuancePerMinute: Limited;
  /** How many of them to leave to others; fewer than `issuancePerMinute`. */
  readonly issuanceReserve: number;
  /** Whether a PATCH that orders a new certificate counts too. */
  readonly countsPatches: boolean;
  /** How many runners share the calls and certificates if they apply at the same time; absent for one. */
  readonly runners?: number;
}

/** How many calls of a window our share allows; rounded down, at least one. */
export function callsOf({ apiShare, runners = 1 }: Budget, quota: number = API_CALLS): number {
  if (apiShare === "unlimited") return Infinity;
  if (!(apiShare > 0 && apiShare <= 1)) throw new Error("a budget's share is above 0 and at most 1");
  // The tiny addition keeps a rounding error from losing a call of a share such as 0.01.
  return Math.max(1, Math.floor((apiShare * quota) / runners + 1e-9));
}

/** How many certificates a minute our share allows: rounded down. */
export function issuancesOf({ issuancePerMinute, issuanceReserve, runners = 1 }: Budget): number {
  if (issuancePerMinute === "unlimited") return Infinity;
  const issuances = issuancePerMinute - issuanceReserve;
  if (!(issuances >= 1)) throw new Error("a budget's reserve leaves one issuance a minute at least");
  return Math.floor(issuances / runners);
}

/**
 * The budget of a job that only reads. It is not one of the runners and needs no certificates. It uses the undivided
 * calls, and waits when the service says that only the others' share is left.
 */
export function undividedBudget({ runners: _runners, ...whole }: Budget): Budget {
  return whole;
}

/** Explains why one change can never get its calls, and what to write instead. */
export function tooFewCalls(
  calls: number,
  allowed: number,
  { quota = API_CALLS, runners = 1 }: Shares = {},
): DiagnosticDetails {
  const percent = Math.ceil((calls * runners * 100) / quota);
  const remedy =
    percent <= 100
      ? `set budget.api to ${percent}% or more, or to unlimited`
      : "set budget.runners to fewer, or budget.api to unlimited";
  return {
    code: "empty-budget",
    message: `budget.api allows ${allowed} of Cloudflare's ${quota} calls at once${eachOf(runners)}, and one change needs ${calls}`,
    remedy,
  };
}

/** Explains why one change can never get its certificates, and what to write instead. */
export function tooFewIssuances(issuances: number, allowed: number, { runners = 1 }: Shares = {}): DiagnosticDetails {
  const fewer = runners > 1 ? "set budget.runners to fewer, " : "";
  return {
    code: "empty-budget",
    message: `budget.issuance allows ${allowed} certificates a minute${eachOf(runners)}, and one change needs ${issuances} at once`,
    remedy: `${fewer}make budget.issuance.reserve smaller, or per_minute larger where the account is allowed more`,
  };
}

/** What a limit is divided by. */
interface Shares {
  /** The service's own limit. */
  readonly quota?: number;
  readonly runners?: number | undefined;
}

function eachOf(runners: number): string {
  return runners > 1 ? ` to each of ${runners} runners` : "";
}
