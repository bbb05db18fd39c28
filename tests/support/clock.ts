import type { Clock } from "../../lib/core/clock.ts";

interface Sleeper {
  readonly due: number;
  readonly order: number;
  readonly wake: () => void;
  isGone: boolean;
}

/**
 * A clock that stands still while anything runs, and jumps to the next sleeper when nothing does. Sleepers wake one at a time,
 * the earliest first, and on a tie the one that went to sleep first. So a test that waits for hours of its own time ends at
 * once, and in the same way every time. Times are in ms. While `isBusy`, no sleeper wakes.
 */
export function manualClock(start = 0, isBusy: () => boolean = () => false): Clock {
  let now = start;
  let order = 0;
  let sleepers: Sleeper[] = [];
  let isWatching = false;

  const watch = (): void => {
    isWatching = true;
    setImmediate(wakeNext);
  };

  const wakeNext = (): void => {
    // What runs outside this process does not follow its clock.
    if (isBusy()) return watch();
    isWatching = false;
    sleepers = sleepers.filter((sleeper) => !sleeper.isGone);
    const [next] = sleepers.sort((left, right) => left.due - right.due || left.order - right.order);
    if (next === undefined) return;
    next.isGone = true;
    now = Math.max(now, next.due);
    next.wake();
    watch();
  };

  return {
    now: () => now,
    sleep: (delayMilliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const give = (): void => {
          sleeper.isGone = true;
          reject(signal?.reason);
        };
        const wake = (): void => {
          signal?.removeEventListener("abort", give);
          resolve();
        };
        order += 1;
        const sleeper: Sleeper = { due: now + Math.max(0, delayMilliseconds), order, wake, isGone: false };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", give, { once: true });
        if (!isWatching) watch();
      }),
  };
}
