import { type Diagnostic, error } from "../core/diagnostic.ts";
import type { SourceCount } from "./desired.ts";

/** How much of a source's rows may be gone where the project says nothing: enough for a normal week, not for a cut. */
export const DEFAULT_MAX_SHRINK = 0.1;

/** What the state remembers of a source at the last apply of a zone. */
export interface PreviousSource {
  readonly rows: number;
  /** The hostname of its last row. */
  readonly last: string;
  /** What `complete` said then; absent in a state that did not keep it. */
  readonly said?: string;
}

/** Whether so many rows are gone that the source counts as cut short. `limit` is a share between 0 and 1. */
export function checkShrink(previousCount: number, count: number, limit: number): boolean {
  return previousCount - count > previousCount * limit;
}

/**
 * Compares a source with what it was at the last apply, before any plan (product semantics 10). A file that was cut
 * short is a complete prefix of its rows at best (everything else is an error of reading), so the row that was last is
 * gone, even where rows were added elsewhere. So a source is refused when it shrank by more than its limit, and also
 * when its former last row is gone, unless somebody says that it is whole.
 * `isDeclared` says whether the zone still declares a hostname, by whatever entry or row.
 */
export function checkSource(
  previous: PreviousSource | undefined,
  current: SourceCount,
  isDeclared: (hostname: string) => boolean,
): Diagnostic | undefined {
  if (!previous || isSaidWhole(previous, current)) return undefined;
  const lost = `${current.zone} gets ${current.rows} rows from the source ${JSON.stringify(current.source)}, ${previous.rows} at the last apply`;
  const remedy = `look whether the file is whole; if it is, set complete.min_rows of the source to its number of rows${current.isConfirmed ? " (it is that already: change complete.max_shrink along with it)" : ""}`;
  if (checkShrink(previous.rows, current.rows, current.maxShrink)) {
    const limit = `${Number((current.maxShrink * 100).toFixed(2))}%`;
    return error({
      code: "source-shrank",
      message: `${lost}: that is more than ${limit} less`,
      remedy: `${remedy}, or raise complete.max_shrink`,
      at: current.at,
    });
  }
  if (isDeclared(previous.last)) return undefined;
  return error({
    code: "source-cut-short",
    message: `${lost}, and the one that was last, ${JSON.stringify(previous.last)}, is gone: so looks a file that was cut short`,
    remedy,
    at: current.at,
  });
}

/**
 * Somebody says that a file is whole by setting `complete.min_rows` to exactly its number of rows. A file that shrank to
 * a number that stood there before only happens to have as many rows, so then the word has to be a new one.
 */
function isSaidWhole(previous: PreviousSource, current: SourceCount): boolean {
  return current.isConfirmed && (current.rows >= previous.rows || previous.said !== current.said);
}
