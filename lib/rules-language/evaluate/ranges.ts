/** From a number to another one, both included. */
export type Interval = readonly [bigint, bigint];

/** Makes a test whether a number is in one of many ranges. It takes about as long for ten thousand as for ten. */
export function inRanges(ranges: readonly Interval[]): (value: number | bigint) => boolean {
  const merged = merge(ranges);
  const starts = merged.map(([start]) => start);
  return (value) => {
    let low = 0;
    let high = starts.length;
    // Everything before `low` starts at or below the value, everything from `high` on above it.
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = starts[middle];
      if (start !== undefined && start <= value) low = middle + 1;
      else high = middle;
    }
    const last = merged[low - 1];
    return last !== undefined && value <= last[1];
  };
}

/** The same numbers in ranges that are in order and do not overlap. */
function merge(ranges: readonly Interval[]): readonly Interval[] {
  const merged: [bigint, bigint][] = [];
  for (const [start, end] of ranges.toSorted(([left], [right]) => (left < right ? -1 : Number(left > right)))) {
    const last = merged.at(-1);
    if (last === undefined || start > last[1]) merged.push([start, end]);
    else if (end > last[1]) last[1] = end;
  }
  return merged;
}
