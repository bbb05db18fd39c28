import { type Diagnostic, error } from "../core/diagnostic.ts";
import type { SourceCount } from "./desired.ts";

/** How much of a source's rows may be gone where the project says nothing: enough for a normal week, not for a cut. */
export const DEFAULT_MAX_SHRINK = 0.1;

/** What the state remembers of a source at the last apply of a zone. */
export interface PreviousSource {
  readonly rows: number;
  /** What `complete` said then; absent in a state that did not keep it. */
  readonly said?: string;
}

/**
 * Whether so many rows are gone that the source counts as cut short. `limit` is a share between 0 and 1; one row may always
 * go, however small the file is, unless the limit is none at all.
 */
export function checkShrink(previousCount: number, count: number, limit: number): boolean {
  const gone = previousCount - count;
  return gone > previousCount * limit && (gone > 1 || limit === 0);
}

/**
 * Compares a source with what it was at the last apply, before any plan (docs/semantics.md#truncated-sources): one that shrank by more
 * than its limit is refused, unless somebody says that it is whole. No manifest lifts this: an export may be whole, and
 * its query wrong. What else looks like a cut is refused in the plan (`plan/source-tails.ts`).
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

/** Whether nothing of a source was cut off: its manifest proves that, or somebody says so. */
export function isKnownWhole(previous: PreviousSource | undefined, current: SourceCount): boolean {
  return current.isProven || (previous !== undefined && isSaidWhole(previous, current));
}

/**
 * Somebody says that a file is whole by setting `complete.min_rows` to exactly its number of rows. A file that shrank to
 * a number that stood there before only happens to have as many rows, so then the word has to be a new one.
 */
function isSaidWhole(previous: PreviousSource, current: SourceCount): boolean {
  return current.isConfirmed && (current.rows >= previous.rows || previous.said !== current.said);
}
