import { type DriftCheck, type FailedCheck, isFailed } from "./drift-check.ts";

/**
 * So many of the last checks of each sort are kept: one would do, but a machine whose clock is wrong may have dated some
 * of them.
 */
export const KEPT_CHECKS = 10;

/** When a zone was last checked for drift, as far as runs recorded it. */
export interface LastChecks {
  readonly last?: DriftCheck;
  /** The last one that failed, if none succeeded since. */
  readonly failed?: FailedCheck;
}

/** The checks that are needed, of those in order of time. */
export function neededChecks(checks: readonly (DriftCheck | FailedCheck)[]): readonly (DriftCheck | FailedCheck)[] {
  const kept = new Set([
    ...checks.filter(isFailed).slice(-KEPT_CHECKS),
    ...checks.filter((check) => !isFailed(check)).slice(-KEPT_CHECKS),
  ]);
  return checks.filter((check) => kept.has(check));
}

/** The last checks of those in order of time; only those of the state with this lineage count. */
export function lastChecks(checks: readonly (DriftCheck | FailedCheck)[], lineage: string | undefined): LastChecks {
  const last = checks.findLast((check): check is DriftCheck => !isFailed(check) && check.lineage === lineage);
  const failed = checks.findLast(isFailed);
  const isNewer = failed !== undefined && (!last || Date.parse(failed.at) > Date.parse(last.at));
  return { ...(last ? { last } : {}), ...(isNewer ? { failed } : {}) };
}
