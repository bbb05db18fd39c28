import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Random } from "../core/clock.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: async (delayMilliseconds, signal) => {
    await delay(delayMilliseconds, undefined, signal ? { signal } : {}).catch((cause: unknown) => {
      throw signal?.aborted ? signal.reason : cause;
    });
  },
};

export const realRandom: Random = {
  fraction: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};
