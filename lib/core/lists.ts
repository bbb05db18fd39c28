/** A list as a stream. */
export async function* streamed<T>(items: Iterable<T>): AsyncIterable<T> {
  yield* items;
}

/** Collects a stream into a list. */
export async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

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

/** How many calls run at once; the client's own limits pace them. */
const AT_ONCE = 8;

/**
 * Calls a function for each item, several at once, and returns each item with its result, in order. Throws the first
 * error, and starts nothing more after it.
 */
export async function several<T, R>(
  items: readonly T[],
  act: (item: T) => Promise<R>,
  atOnce: number = AT_ONCE,
): Promise<readonly (readonly [T, R])[]> {
  const done: (readonly [T, R])[] = [];
  const waiting = queue(items);
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) done[index] = [item, await act(item)];
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return done;
}

/** The items, shared by all workers. A generator, because the first worker that throws closes it. */
function* queue<T>(items: readonly T[]): Generator<[number, T]> {
  yield* items.entries();
}

/** Runs calls one at a time, in the order in which they came; a failed one does not stop the others. */
export function turns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act, act);
    last = next.catch(() => undefined);
    return next;
  };
}
