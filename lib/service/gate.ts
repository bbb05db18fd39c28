import type { Clock } from "../core/clock.ts";
import { type DiagnosticDetails, refusal } from "../core/diagnostic.ts";
import { UnreachableError } from "./errors.ts";
import type { Pause } from "./pause.ts";
import type { Report } from "./service-event.ts";

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

/**
 * One limit of the service. Calls wait for it in the order in which they came. Only the first call in the queue watches
 * the clock; calls that end wake it.
 */
export class Gate {
  readonly window: SlidingWindow;
  readonly pause: Pause;
  private readonly parts: GateParts;
  private readonly queue = openQueue();
  private waited = 0;
  private wakeFirst: () => void = () => undefined;

  constructor(parts: GateParts) {
    this.parts = parts;
    this.window = parts.window;
    this.pause = parts.pause;
  }

  /** Throws a `Refusal` if the limit can never allow this many calls. */
  check(count: number): void {
    const limit = this.window.limit();
    if (count > limit) throw refusal(this.parts.tooMany(count, limit));
  }

  /**
   * Resolves when this many calls may begin. Throws what `check` throws, also if the limit shrinks while they wait;
   * `UnreachableError` if the service refused calls for too long; and the signal's reason.
   */
  async pass(count: number, signal?: AbortSignal): Promise<void> {
    const leave = await this.queue.enter(signal);
    try {
      await this.begin(count, signal);
    } finally {
      leave();
    }
  }

  /** A call ended and counts. */
  settle(): void {
    this.window.settle(this.parts.clock.now());
    this.wake();
  }

  /** These calls were not made, or do not count. */
  giveBack(count: number): void {
    this.window.giveBack(count);
    this.wake();
  }

  /** Checks again whether calls may begin, because a limit changed. */
  wake(): void {
    this.wakeFirst();
  }

  /** Milliseconds that calls waited here; calls that wait at the same time count once. */
  waitedMilliseconds(): number {
    return this.waited;
  }

  private async begin(count: number, signal: AbortSignal | undefined): Promise<void> {
    const { window, pause } = this;
    const { name, clock, report } = this.parts;
    for (;;) {
      signal?.throwIfAborted();
      if (pause.isGivenUp()) throw givenUp();
      this.check(count);
      const now = clock.now();
      const [paused, full] = [pause.waitFrom(now), window.waitFrom(now, count)];
      if (paused === 0 && full === 0) return window.begin(count);
      const milliseconds = full === undefined && paused === 0 ? undefined : Math.max(paused, full ?? 0);
      const asked = pause.refusedFor(now) > 0 ? "throttled" : "others-share";
      const reason = paused > (full ?? 0) ? asked : name;
      if (milliseconds !== undefined && milliseconds >= REPORTED_MILLISECONDS)
        report({ type: "waiting", reason, untilMilliseconds: now + milliseconds });
      await this.sleep(milliseconds, signal);
    }
  }

  private async sleep(milliseconds: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.parts;
    const began = clock.now();
    const stop = new AbortController();
    const forward = (): void => stop.abort(signal?.reason);
    signal?.addEventListener("abort", forward, { once: true });
    try {
      const woken = new Promise<void>((resolve, reject) => {
        this.wakeFirst = resolve;
        stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
      });
      await (milliseconds === undefined ? woken : Promise.race([woken, clock.sleep(milliseconds, stop.signal)]));
    } finally {
      signal?.removeEventListener("abort", forward);
      this.wake();
      stop.abort();
      this.waited += clock.now() - began;
    }
  }
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
