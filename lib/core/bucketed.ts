/** A list that is not empty. */
export type Some<T> = [T, ...T[]];

/** Groups items by key; the groups come in the order of their first items. */
export function bucketed<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, Some<T>> {
  const buckets = new Map<string, Some<T>>();
  for (const item of items) {
    const key = keyOf(item);
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [item]);
    else bucket.push(item);
  }
  return buckets;
}
