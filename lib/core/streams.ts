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
