import type { Diagnostic } from "../../core/diagnostic.ts";

/** What a person reads one by one. More than this is headed by a sum. */
const FEW = 4;
/** How many findings of a sort a plan holds at most: the sum tells of the others. */
const MOST = 100;

/** A finding for each item; where there are many, the sum of all first, and then only the first hundred. */
export function bounded<T>(
  items: readonly T[],
  finding: (item: T) => Diagnostic,
  sum: (items: readonly T[]) => Diagnostic,
): readonly Diagnostic[] {
  if (items.length <= FEW) return items.map(finding);
  return [sum(items), ...items.slice(0, MOST).map(finding)];
}
