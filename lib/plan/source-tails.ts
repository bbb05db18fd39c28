import { hashRow, splitRowHashes } from "../core/row-hash.ts";
import type { SourceSeen } from "../state/state.ts";
import type { Change, Refused, ZonePlan } from "./change.ts";
import { DELETION_LIMIT } from "./deletion-limits.ts";
import type { PlanInput } from "./inputs.ts";

/** The code of deletions that look like a source that was cut short; the approval of the plan's hash takes it away. */
export const SOURCE_TAIL_GONE = "source-tail-gone";

/** One row at the end goes on an ordinary day; two that are all of what goes look like a cut. */
const FEWEST_ROWS = 2;

/** So many rows at the end look like a cut also on a day on which other rows go: chance does not pick them. */
const FEWEST_ROWS_AMONG_OTHERS = 10;

/**
 * Refuses the deletions that look like a source that was cut short (product semantics 10): where the rows that are gone
 * are exactly the last ones of the file as it was at the last apply, and more than one. A destruction that was asked
 * for is no such thing, and a source that is known to be whole lost nothing by a cut.
 */
export function refuseGoneTails(input: PlanInput, changes: readonly Change[]): readonly Change[] {
  if (input.isDestroy) return changes;
  const deletions = changes.filter(({ kind, action }) => kind === "custom_hostname" && action === "delete");
  if (deletions.length < FEWEST_ROWS) return changes;
  const refusals = new Map<Change, Refused>();
  for (const [name, current] of Object.entries(input.sources)) {
    const before = input.state?.sources?.[name];
    if (!before || input.wholeSources?.has(name)) continue;
    const tail = goneTail(before, current, deletions);
    for (const deletion of tail) refusals.set(deletion, tailGone(name, tail.length, before));
  }
  return changes.map((change) => {
    const refused = refusals.get(change);
    const isStronger = change.refused === undefined || change.refused.code === DELETION_LIMIT;
    return refused && isStronger ? { ...change, refused } : change;
  });
}

/** The deletions of the rows that look cut off; none where they do not. */
function goneTail(before: SourceSeen, current: SourceSeen, deletions: readonly Change[]): readonly Change[] {
  if (before.order === undefined) return deletionsBesideLast(before, deletions);
  const there = new Set(splitRowHashes(current.order ?? ""));
  const going = new Map(deletions.map((deletion) => [hashRow(deletion.key), deletion] as const));
  const gone = splitRowHashes(before.order).flatMap((row) => {
    const deletion = there.has(row) ? undefined : going.get(row);
    // A row that neither stands in the file nor is deleted is declared elsewhere by now, or went before.
    return deletion || there.has(row) ? [deletion] : [];
  });
  const removed = gone.filter((deletion) => deletion !== undefined).length;
  const tail = gone
    .slice(gone.lastIndexOf(undefined) + 1)
    .filter((deletion): deletion is Change => deletion !== undefined);
  const isCut = tail.length === removed ? removed >= FEWEST_ROWS : tail.length >= FEWEST_ROWS_AMONG_OTHERS;
  return isCut ? tail : [];
}

/** A state of an older version knows only the last row: where that goes with others, they may all be of the file's end. */
function deletionsBesideLast({ last }: SourceSeen, deletions: readonly Change[]): readonly Change[] {
  return deletions.some(({ key }) => key === last) ? deletions : [];
}

function tailGone(source: string, count: number, { order }: SourceSeen): Refused {
  const name = JSON.stringify(source);
  const message =
    order === undefined
      ? `the last row of the source ${name} is gone along with others, and the state does not know their order yet`
      : `the source ${name} has lost its last ${count} rows since the last apply, as if the file had been cut short`;
  return {
    code: SOURCE_TAIL_GONE,
    message,
    remedy:
      "check that the file is whole; if it is, prove it with complete.manifest, or approve exactly this plan by its hash with --approve",
  };
}

/** What an apply of the section remembers of its sources: nothing while a deletion waits for an approval of a tail that is gone. */
export function sourcesToRemember({
  changes,
  bookkeeping,
}: Pick<ZonePlan, "changes" | "bookkeeping">): Readonly<Record<string, SourceSeen>> | undefined {
  return changes.some(({ refused }) => refused?.code === SOURCE_TAIL_GONE) ? undefined : bookkeeping.sources;
}
