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
