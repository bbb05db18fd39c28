/** Calls under way at once; the client's own limits pace them. */
const AT_ONCE = 8;

/**
 * Does something for each of many, several at once, and gives each with what came of it, in their order. Throws the first
 * error, and begins nothing further then.
 */
export async function* inBatches<T, R>(items: readonly T[], act: (item: T) => Promise<R>): AsyncIterable<[T, R]> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE);
    yield* await Promise.all(some.map(async (item): Promise<[T, R]> => [item, await act(item)]));
  }
}
