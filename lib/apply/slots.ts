/** Room for a limited number of things at once. */
export interface Slots {
  /** Runs `act` as soon as there is room, in the order of asking. */
  within<T>(act: () => Promise<T>): Promise<T>;
}

/** Opens room for `count` things at once. */
export function openSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  let next = 0;

  const leave = (): void => {
    const first = waiting[next];
    if (first === undefined) {
      free += 1;
      return;
    }
    next += 1;
    if (next === waiting.length) {
      waiting.length = 0;
      next = 0;
    }
    first();
  };

  return {
    within: async (act) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await act();
      } finally {
        leave();
      }
    },
  };
}
