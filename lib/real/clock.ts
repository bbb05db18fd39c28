import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Random, SteadyClock } from "../core/clock.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (delayMilliseconds, signal) => wait(delayMilliseconds, true, signal),
};

export const realSteadyClock: SteadyClock = {
  now: () => performance.now(),
  sleep: (delayMilliseconds, signal) => wait(delayMilliseconds, true, signal),
  rest: (delayMilliseconds, signal) => wait(delayMilliseconds, false, signal),
};

async function wait(delayMilliseconds: number, ref: boolean, signal: AbortSignal | undefined): Promise<void> {
  await delay(delayMilliseconds, undefined, signal ? { signal, ref } : { ref }).catch((cause: unknown) => {
    throw signal?.aborted ? signal.reason : cause;
  });
}

export const realRandom: Random = {
  fraction: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};
