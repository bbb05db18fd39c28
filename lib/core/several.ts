/** Calls under way at once; the client's own limits pace them. */
const AT_ONCE = 8;

/**
 * Does something for each of many, several at once, and gives each with what came of it, in their order. Throws the first
 * error, and begins nothing further then.
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

/** The items for all workers together. It is a generator because those are closed by the first worker that throws. */
function* queue<T>(items: readonly T[]): Generator<[number, T]> {
  yield* items.entries();
}
