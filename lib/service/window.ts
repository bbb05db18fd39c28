/**
 * A limit of N events in any window of a given length, which one burst may use up. It has no clock: callers pass the
 * time (ms since the epoch).
 */
export interface SlidingWindow {
  /** How many events fit into the window. */
  limit(): number;
  /**
   * Milliseconds until this many more events fit; 0 if they do now, undefined if that depends on events that are still
   * running.
   */
  waitFrom(now: number, count: number): number | undefined;
  /** Takes places for events that begin now. */
  begin(count: number): void;
  /** The event took place, or may have: its place becomes free when it leaves the window. */
  settle(now: number): void;
  /** These events did not take place: their places are free at once. */
  giveBack(count: number): void;
  /** Records that the limit differs from what we assumed. */
  resize(limit: number, lengthMilliseconds: number): void;
  /** From that moment on, events before it no longer count. A later call replaces the moment. */
  resetAt(moment: number): void;
  /** Forgets events before that moment. */
  forgetBefore(moment: number): void;
}

/**
 * Opens a window of `limit` events in any `lengthMilliseconds`. A running event holds its place, and counts until a
 * window after its end: the service may have counted it at any moment in between, so only this keeps its window from
 * overflowing, however late a call arrives.
 */
export function openWindow(limit: number, lengthMilliseconds: number): SlidingWindow {
  let ended: number[] = [];
  let first = 0;
  let underWay = 0;
  let reset = Infinity;

  const leaveOut = (moment: number): void => {
    while ((ended[first] ?? Infinity) < moment) first += 1;
    if (first > limit) {
      ended = ended.slice(first);
      first = 0;
    }
  };

  /** After a clock was set back, a time stamp in the future must not hold its place for longer than the window. */
  const believe = (now: number): void => {
    if ((ended.at(-1) ?? 0) > now) ended = ended.map((stamp) => Math.min(stamp, now));
  };

  const forget = (now: number): void => {
    believe(now);
    leaveOut(now - lengthMilliseconds);
    if (now < reset) return;
    leaveOut(reset);
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
      if (limit === Infinity) return;
      believe(now);
      ended.push(now);
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
    forgetBefore: leaveOut,
  };
}
