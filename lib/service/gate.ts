import type { Clock } from "../core/clock.ts";
import { type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";
import { UnreachableError } from "./errors.ts";
import type { Pause } from "./pause.ts";
import { openQueue } from "./queue.ts";
import type { Report, ServiceEvent } from "./service-event.ts";
import type { SlidingWindow } from "./window.ts";

/** One limit of the service, with calls waiting before it in the order in which they came. */
export interface Gate {
  /** Throws a `Refusal` where so many calls never fit. */
  check(count: number): void;
  /**
   * Resolves when so many calls may begin. Throws what `check` throws, also where the limit turns out to be smaller while
   * they wait; `UnreachableError` when the service refused calls for too long; and the signal's reason.
   */
  pass(count: number, signal?: AbortSignal): Promise<void>;
  /** The call ended and counts. */
  settle(): void;
  /** So many calls were not made, or do not count. */
  giveBack(count: number): void;
  /** Looks again whether calls may begin: a limit has changed. */
  wake(): void;
  /** How often the service refused calls so far. */
  pauses(): number;
  /** Whether the service refuses calls now. */
  isPaused(): boolean;
  /** Milliseconds for which calls waited here, those who wait together counted once. */
  waitedMilliseconds(): number;
}

/** What a gate is made of. */
export interface GateParts {
  readonly name: "api-budget" | "issuance-limit";
  readonly window: SlidingWindow;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly report: Report;
  /** Why so many calls never fit. */
  readonly tooMany: (count: number, limit: number) => DiagnosticDetails;
}

/** Waits shorter than this are not worth a line. */
const REPORTED_MILLISECONDS = 1000;

/** Opens a gate. Only the first of the queue watches the clock; what ends meanwhile wakes it. */
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
    if (count > window.limit()) throw new Refusal([error(tooMany(count, window.limit()))]);
  };

  const wait = async (count: number, signal: AbortSignal | undefined): Promise<void> => {
    for (;;) {
      signal?.throwIfAborted();
      if (pause.isGivenUp()) throw givenUp();
      check(count);
      const now = clock.now();
      const [paused, full] = [pause.waitFrom(now), window.waitFrom(now, count)];
      if (paused === 0 && full === 0) return;
      const milliseconds = full === undefined && paused === 0 ? undefined : Math.max(paused, full ?? 0);
      const asked = pause.refusedFor(now) > 0 ? "throttled" : "others-share";
      tell(paused > (full ?? 0) ? asked : name, now, milliseconds ?? 0);
      await sleep(milliseconds, signal);
    }
  };

  const tell = (reason: (ServiceEvent & { type: "waiting" })["reason"], now: number, milliseconds: number): void => {
    if (milliseconds >= REPORTED_MILLISECONDS)
      report({ type: "waiting", reason, untilMilliseconds: now + milliseconds });
  };

  return {
    check,
    pass: async (count, signal) => {
      const leave = await queue.enter(signal);
      try {
        await wait(count, signal);
        window.begin(count);
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
    pauses: () => pause.count(),
    isPaused: () => pause.refusedFor(clock.now()) > 0,
    waitedMilliseconds: () => waited,
  };
}

function givenUp(): UnreachableError {
  return new UnreachableError("the service kept refusing calls as too many (429), so no more are sent", {
    reason: "throttled",
  });
}
