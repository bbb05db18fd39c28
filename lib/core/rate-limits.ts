import type { DiagnosticDetails } from "./diagnostic.ts";

/** 1,200 calls in 5 minutes per user, over all of the user's keys, tokens and the dashboard (docs/service.md#rate-limits). */
export const API_CALLS = 1200;
export const API_WINDOW_MILLISECONDS = 300_000;
export const ISSUANCE_WINDOW_MILLISECONDS = 60_000;

/** A limit of ours, or none: then only the service's own refusals and headers hold a run up. */
export type Limited = number | "unlimited";

/** The share of the service's limits that a run may use (`budget` of the project file). */
export interface Budget {
  /** Of the calls, above 0 and at most 1. */
  readonly apiShare: Limited;
  /** Certificates a minute that the account is allowed. */
  readonly issuancePerMinute: Limited;
  /** How many of them are left to others; fewer than `issuancePerMinute`. */
  readonly issuanceReserve: number;
  /** Whether a PATCH that orders a new certificate counts as well. */
  readonly countsPatches: boolean;
}

/** Calls in a window that the share gives us: rounded down, and one at least. */
export function callsOf({ apiShare }: Budget, quota: number = API_CALLS): number {
  if (apiShare === "unlimited") return Infinity;
  if (!(apiShare > 0 && apiShare <= 1)) throw new Error("a budget's share is above 0 and at most 1");
  // A hair's breadth, so that a share of a hundredth does not lose a call to the fractions of a computer.
  return Math.max(1, Math.floor(apiShare * quota + 1e-9));
}

/** Certificates in a minute that the shares give us. */
export function issuancesOf({ issuancePerMinute, issuanceReserve }: Budget): number {
  if (issuancePerMinute === "unlimited") return Infinity;
  const issuances = issuancePerMinute - issuanceReserve;
  if (!(issuances >= 1)) throw new Error("a budget's reserve leaves one issuance a minute at least");
  return Math.floor(issuances);
}

/** Why one change never gets its calls, and what to write instead. */
export function tooFewCalls(calls: number, allowed: number, quota: number = API_CALLS): DiagnosticDetails {
  const percent = Math.min(100, Math.ceil((calls / quota) * 100));
  return {
    code: "empty-budget",
    message: `budget.api allows ${allowed} of the service's ${quota} calls at once, and one change needs ${calls}`,
    remedy: `set budget.api to ${percent}% or more, or to unlimited`,
  };
}

/** Why one change never gets its certificates, and what to write instead. */
export function tooFewIssuances(issuances: number, allowed: number): DiagnosticDetails {
  return {
    code: "empty-budget",
    message: `budget.issuance allows ${allowed} certificates a minute, and one change needs ${issuances} at once`,
    remedy: "make budget.issuance.reserve smaller, or per_minute larger where the account is allowed more",
  };
}
