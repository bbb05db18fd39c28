import { setImmediate } from "node:timers/promises";
import type { SteadyClock } from "../../lib/core/clock.ts";

/** Time that passes only when a test says so, and is the same for all processes of the test. */
export interface VirtualTime {
  /** Makes a clock for another process. */
  process(): VirtualProcess;
  /** Lets time pass, and everything happen that comes due. */
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass until the work has ended. Throws if that takes longer than a day. */
  until<T>(work: Promise<T>): Promise<T>;
}

/** The steady clock of a process that can be stopped. A stopped process does nothing, but its time passes. */
export interface VirtualProcess {
  readonly steady: SteadyClock;
  stop(): void;
  goOn(): void;
}

interface Timer {
  due: number;
  readonly isHeld: () => boolean;
  readonly go: () => void;
}

const DAY_MILLISECONDS = 86_400_000;

/** After this many turns of the event loop, everything that an event has started in memory is done. */
const TURNS = 20;

/** Creates a time that starts at 0. */
export function virtualTime(): VirtualTime {
  const timers = new Set<Timer>();
  let now = 0;

  async function settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  }

  async function pass(milliseconds: number): Promise<void> {
    const end = now + milliseconds;
    for (;;) {
      await settle();
      const [next] = [...timers].filter((each) => !each.isHeld()).sort((left, right) => left.due - right.due);
      if (!next || next.due > end) break;
      timers.delete(next);
      now = Math.max(now, next.due);
      next.go();
    }
    now = end;
  }

  return {
    pass,
    process: () => {
      let isStopped = false;
      const sleep: SteadyClock["sleep"] = (delayMilliseconds, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const giveUp = (): void => {
            timers.delete(timer);
            reject(signal?.reason);
          };
          const go = (): void => {
            signal?.removeEventListener("abort", giveUp);
            resolve();
          };
          const timer: Timer = { due: now + delayMilliseconds, isHeld: () => isStopped, go };
          timers.add(timer);
          signal?.addEventListener("abort", giveUp, { once: true });
        });
      return {
        steady: { now: () => now, sleep, rest: sleep },
        stop: () => {
          isStopped = true;
        },
        goOn: () => {
          isStopped = false;
        },
      };
    },
    until: async (work) => {
      const progress = { isOver: false };
      const over = (): void => {
        progress.isOver = true;
      };
      work.then(over, over);
      for (const end = now + DAY_MILLISECONDS; !progress.isOver && now < end;) await pass(100);
      if (!progress.isOver) throw new Error("nothing ended it within a day");
      return work;
    },
  };
}
