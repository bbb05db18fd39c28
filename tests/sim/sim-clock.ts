import type { Clock, SteadyClock } from "../../lib/core/clock.ts";
import type { Machine, SimProcess } from "./machine.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** A process's clock, which may be wrong and may jump; waits keep their length. */
export interface SimClock extends Clock {
  jump(milliseconds: number): void;
}

/** The clock of a process. */
export function clockOf(scheduler: Scheduler, owner: Owner): SimClock {
  let offset = 0;
  return {
    now: () => Math.floor(scheduler.now()) + offset,
    jump: (milliseconds) => {
      offset += milliseconds;
    },
    sleep: (delayMilliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const give = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = scheduler.timer(owner, delayMilliseconds, () => {
          signal?.removeEventListener("abort", give);
          resolve();
        });
        signal?.addEventListener("abort", give, { once: true });
      }),
  };
}

/** Time that nobody sets, for one process. */
export function steadyOf({ scheduler }: Pick<Machine, "scheduler">, process: SimProcess): SteadyClock {
  const { sleep } = clockOf(scheduler, process);
  return { now: () => scheduler.now(), sleep, rest: sleep };
}
