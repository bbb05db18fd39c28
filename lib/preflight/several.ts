/** Hostnames that are asked about at the same time: fast, and no burst that a resolver would refuse. */
const AT_ONCE = 64;

/** Acts on every item, several at a time. */
export async function several<T>(items: readonly T[], act: (item: T, index: number) => Promise<void>): Promise<void> {
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) await act(item, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
