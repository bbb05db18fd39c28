import type { Clock } from "../core/clock.ts";
import { type DiagnosticDetails, refusal } from "../core/diagnostic.ts";
import { UnreachableError } from "./errors.ts";
import type { Pause } from "./pause.ts";
import type { Report, ServiceEvent } from "./service-event.ts";

/** One limit of the service. Calls wait for it in the order in which they came. */
export interface Gate {
  readonly window: SlidingWindow;
  readonly pause: Pause;
  /** Throws a `Refusal` if the limit can never allow this many calls. */
  check(count: number): void;
  /**
   * Resolves when this many calls may begin. Throws what `check` throws, also if the limit shrinks while they wait;
   * `UnreachableError` if the service refused calls for too long; and the signal's reason.
   */
  pass(count: number, signal?: AbortSignal): Promise<void>;
  /** A call ended and counts. */
  settle(): void;
  /** These calls were not made, or do not count. */
  giveBack(count: number): void;
  /** Checks again whether calls may begin, because a limit changed. */
  wake(): void;
  /** Milliseconds that calls waited here; calls that wait at the same time count once. */
  waitedMilliseconds(): number;
}

/** What a gate is made of. */
interface GateParts {
  readonly name: "api-budget" | "issuance-limit";
  readonly window: SlidingWindow;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly report: Report;
  /** Explains why the limit never allows this many calls. */
  readonly tooMany: (count: number, limit: number) => DiagnosticDetails;
}

/** Shorter waits are not reported. */
const REPORTED_MILLISECONDS = 1000;

/** Opens a gate. Only the first call in the queue watches the clock; calls that end wake it. */
export function openGate({ name, window, pause, clock, report, tooMany }: GateParts): Gate {
  const queue = openQueue();
  let wake: () => void = () => undefined;
  let waited = 0;

  const sleep = async (milliseconds: number | undefined, signal: AbortSignal | undefined): Promise<void> => {
    const began = clock.now();
    const stop = new AbortController();
    const forward = (): void => stop.abort(signal?.reason);
    signal?.addEventListener("abort", forward, { once: true });
    try {
      const woken = new Promise<void>((resolve, reject) => {
        wake = resolve;
        stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
      });
      await (milliseconds === undefined ? woken : Promise.race([woken, clock.sleep(milliseconds, stop.signal)]));
    } finally {
      signal?.removeEventListener("abort", forward);
      wake();
      stop.abort();
      waited += clock.now() - began;
    }
  };

  const check = (count: number): void => {
    if (count > window.limit()) throw refusal(tooMany(count, window.limit()));
  };

  const begin = async (count: number, signal: AbortSignal | undefined): Promise<void> => {
    for (;;) {
      signal?.throwIfAborted();
      if (pause.isGivenUp()) throw givenUp();
      check(count);
      const now = clock.now();
      const [paused, full] = [pause.waitFrom(now), window.waitFrom(now, count)];
      if (paused === 0 && full === 0) return window.begin(count);
      const milliseconds = full === undefined && paused === 0 ? undefined : Math.max(paused, full ?? 0);
      const asked = pause.refusedFor(now) > 0 ? "throttled" : "others-share";
      await tellAndSleep(paused > (full ?? 0) ? asked : name, now, milliseconds, signal);
    }
  };

  const tellAndSleep = async (
    reason: (ServiceEvent & { type: "waiting" })["reason"],
    now: number,
    milliseconds: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    if ((milliseconds ?? 0) >= REPORTED_MILLISECONDS)
      report({ type: "waiting", reason, untilMilliseconds: now + (milliseconds ?? 0) });
    await sleep(milliseconds, signal);
  };

  return {
    window,
    pause,
    check,
    pass: async (count, signal) => {
      const leave = await queue.enter(signal);
      try {
        await begin(count, signal);
      } finally {
        leave();
      }
    },
    settle: () => {
      window.settle(clock.now());
      wake();
    },
    giveBack: (count) => {
      window.giveBack(count);
      wake();
    },
    wake: () => wake(),
    waitedMilliseconds: () => waited,
  };
}

function givenUp(): UnreachableError {
  return new UnreachableError("Cloudflare kept refusing calls as too many (429), so no more are sent", {
    reason: "throttled",
  });
}

/** Lets one caller in at a time, in the order of the requests. */
interface Queue {
  /**
   * Resolves when it is the caller's turn, with a function that ends the turn; rejects with the signal's reason if that
   * comes first.
   */
  enter(signal?: AbortSignal): Promise<() => void>;
}

interface Place {
  readonly call: () => void;
  isGone: boolean;
}

/** Opens a queue. It moves an index instead of shifting the array, so that 100,000 waiting calls take linear time. */
function openQueue(): Queue {
  let waiting: Place[] = [];
  let next = 0;
  let isTaken = false;

  const callNext = (): void => {
    while (waiting[next]?.isGone === true) next += 1;
    const place = waiting[next];
    isTaken = place !== undefined;
    next += 1;
    if (place === undefined) {
      waiting = [];
      next = 0;
    }
    place?.call();
  };

  const wait = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        place.isGone = true;
        reject(signal?.reason);
      };
      const place: Place = {
        isGone: false,
        call: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      waiting.push(place);
    });

  return {
    enter: async (signal) => {
      signal?.throwIfAborted();
      if (isTaken) await wait(signal);
      isTaken = true;
      return callNext;
    },
  };
}

/**
 * A limit of N events in any window of a given length, which one burst may use up. It has no clock: callers pass the
 * time (ms since the epoch).
 */
interface SlidingWindow {
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
