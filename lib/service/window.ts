/**
 * A limit of so many events in any stretch of time of a given length. It may be used up in one burst. Knows no clock:
 * every method is told the time (ms since the epoch).
 */
export interface SlidingWindow {
  /** How many events there may be in the window. */
  limit(): number;
  /** Milliseconds until so many more events fit; 0 when they do now, undefined when that hangs on events under way. */
  waitFrom(now: number, count: number): number | undefined;
  /** Takes places for events that begin now. */
  begin(count: number): void;
  /** The event took place, or may have: its place becomes free when it is out of the window. */
  settle(now: number): void;
  /** So many events did not take place: their places are free at once. */
  giveBack(count: number): void;
  /** The limit is another one than was thought. */
  resize(limit: number, lengthMilliseconds: number): void;
  /** What took place before that moment counts no more from then on. A later call replaces the moment. */
  resetAt(moment: number): void;
  /** What took place before that moment counts no more. */
  forgetBefore(moment: number): void;
}

/**
 * Opens a window of `limit` events in any `lengthMilliseconds`.
 * An event under way holds its place, and counts from its end on: the service may have counted it at any moment
 * between, so only this keeps its window from overflowing, however late a call arrives there.
 */
export function openWindow(limit: number, lengthMilliseconds: number): SlidingWindow {
  let ended: number[] = [];
  let first = 0;
  let underWay = 0;
  let reset = Infinity;

  const forgetBefore = (moment: number): void => {
    while ((ended[first] ?? Infinity) < moment) first += 1;
    if (first > limit) {
      ended = ended.slice(first);
      first = 0;
    }
  };

  const forget = (now: number): void => {
    // A clock that was set back must not make a stamp of the future hold its place for longer than the window.
    if ((ended.at(-1) ?? 0) > now) ended = ended.map((stamp) => Math.min(stamp, now));
    forgetBefore(now - lengthMilliseconds);
    if (now < reset) return;
    forgetBefore(reset);
    reset = Infinity;
  };

  return {
    limit: () => limit,
    waitFrom: (now, count) => {
      if (limit === Infinity) return 0;
      forget(now);
      const excess = ended.length - first + underWay + count - limit;
      if (excess <= 0) return 0;
      const leaves = ended[first + excess - 1];
      return leaves === undefined ? undefined : Math.min(leaves + lengthMilliseconds + 1, reset) - now;
    },
    begin: (count) => {
      underWay += count;
    },
    settle: (now) => {
      underWay -= 1;
      if (limit < Infinity) ended.push(now);
    },
    giveBack: (count) => {
      underWay -= count;
    },
    resize: (newLimit, newLengthMilliseconds) => {
      limit = newLimit;
      lengthMilliseconds = newLengthMilliseconds;
    },
    resetAt: (moment) => {
      reset = moment;
    },
    forgetBefore,
  };
}
