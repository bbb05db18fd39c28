import { type Diagnostic, error } from "../core/diagnostic.ts";
import type { SourceCount } from "./desired.ts";

/**
 * The default share of a source's rows that may be missing: enough for a normal week, too little for a truncated file.
 */
export const DEFAULT_MAX_SHRINK = 0.1;

/** What the state has about a source from the last apply of a zone. */
export interface PreviousSource {
  readonly rows: number;
  /** What `complete` said then. */
  readonly said: string;
}

/**
 * Whether so many rows are missing that the source counts as truncated. `limit` is a share between 0 and 1. One row may
 * always go, unless the limit is 0.
 */
export function checkShrink(previousCount: number, count: number, limit: number): boolean {
  const gone = previousCount - count;
  return gone > previousCount * limit && (gone > 1 || limit === 0);
}

/**
 * Compares a source with the last apply, before any plan (docs/semantics.md#truncated-sources): one that shrank beyond
 * its limit is refused, unless somebody confirms that it is complete. A manifest is not enough: an export can be
 * complete and its query wrong. The plan refuses other signs of truncation (`plan/source-tails.ts`).
 */
export function checkSource(previous: PreviousSource | undefined, current: SourceCount): Diagnostic | undefined {
  if (!previous || isSaidWhole(previous, current)) return undefined;
  if (!checkShrink(previous.rows, current.rows, current.maxShrink)) return undefined;
  const limit = `${Number((current.maxShrink * 100).toFixed(2))}%`;
  const check = "check that the file is complete; if it is,";
  const remedy = current.isConfirmed
    ? `${check} change complete.max_shrink, because complete.min_rows was the same at the last apply`
    : `${check} set complete.min_rows to its number of rows, or raise complete.max_shrink`;
  return error({
    code: "source-shrank",
    message: `the source ${JSON.stringify(current.source)} has ${current.rows} rows for ${current.zone}, down from ${previous.rows} at the last apply; the limit is ${limit} fewer`,
    remedy,
    at: current.at,
  });
}

/** Whether a source is complete: its manifest proves it, or somebody confirms it. */
export function isKnownWhole(previous: PreviousSource | undefined, current: SourceCount): boolean {
  return current.isProven || (previous !== undefined && isSaidWhole(previous, current));
}

/**
 * Somebody confirms a file by setting `complete.min_rows` to exactly its number of rows. If that number was already
 * there at the last apply, the match may be a coincidence, so it has to be a new one.
 */
function isSaidWhole(previous: PreviousSource, current: SourceCount): boolean {
  return current.isConfirmed && (current.rows >= previous.rows || previous.said !== current.said);
}
