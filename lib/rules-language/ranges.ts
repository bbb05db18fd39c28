import { networkOf, readAddress } from "./addresses.ts";

/** Whole numbers between two bounds, both included. */
export type Range = readonly [from: bigint, to: bigint];

/** A set of whole numbers: ranges in order that neither touch nor overlap. */
export type Ranges = readonly Range[];

/** The least and the greatest number of 64 bits. */
export const LEAST: bigint = -(2n ** 63n);
export const MOST: bigint = 2n ** 63n - 1n;

/** Every number of 64 bits. */
export const ALL_NUMBERS: Ranges = [[LEAST, MOST]];

/** Numbers of addresses: those of IPv6 come after those of IPv4. */
const VERSION_6 = 1n << 32n;

/** Every address. */
export const ALL_ADDRESSES: Ranges = [[0n, VERSION_6 + 2n ** 128n - 1n]];

/** The set that has all of these ranges; a range that ends before it begins is empty. */
export function union(ranges: readonly Range[]): Ranges {
  const sorted = ranges.filter(([from, to]) => from <= to).toSorted((one, other) => (one[0] < other[0] ? -1 : 1));
  const joined: [bigint, bigint][] = [];
  for (const [from, to] of sorted) {
    const last = joined.at(-1);
    if (last === undefined || from > last[1] + 1n) joined.push([from, to]);
    else if (to > last[1]) last[1] = to;
  }
  return joined;
}

/** What is in both sets. */
export function intersection(one: Ranges, other: Ranges): Ranges {
  return union(
    one.flatMap(([from, to]) => other.map(([start, end]): Range => [start > from ? start : from, end < to ? end : to])),
  );
}

/** What is in the first set and not in the second. */
export function difference(from: Ranges, without: Ranges): Ranges {
  return without.reduce<Ranges>(
    (left, [start, end]) =>
      left.flatMap(([low, high]): Range[] =>
        end < low || start > high
          ? [[low, high]]
          : [[low, start - 1n] as const, [end + 1n, high] as const].filter(([one, other]) => one <= other),
      ),
    from,
  );
}

/** The addresses that begin with the same bits as this one; without `bits`, only itself. Undefined if it is no address. */
export function networkRange(text: string, bits?: number): Range | undefined {
  const address = readAddress(text);
  if (address === undefined) return undefined;
  const [first, last] = networkOf(address, Math.min(bits ?? address.bits, address.bits));
  const offset = address.bits === 32 ? 0n : VERSION_6;
  return [offset + first, offset + last];
}

/** Makes a test whether a number is in one of many ranges. It takes about as long for ten thousand as for ten. */
export function inRanges(ranges: readonly Range[]): (value: number | bigint) => boolean {
  const joined = union(ranges);
  const starts = joined.map(([start]) => start);
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
    const last = joined[low - 1];
    return last !== undefined && value <= last[1];
  };
}
