import { type Backoff, scatteredPauseBefore } from "../../core/backoff.ts";
import type { Clock, Random } from "../../core/clock.ts";
import { isLook, type LockInfo } from "./lock-info.ts";
import type { LockAnswer, StateServer } from "./server.ts";

const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 1000 };

/** Somebody who only looks has the lock for an instant: we wait so long for it, even if we are not to wait. */
const LOOK_MILLISECONDS = 5000;

/** What taking a lock needs. */
interface TakeWorld {
  readonly server: StateServer;
  readonly clock: Clock;
  readonly random: Random;
  readonly name: string;
}

/** Takes a lock, and waits for it at most the given time. */
export async function take(
  { server, clock, random, name }: TakeWorld,
  info: LockInfo,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<LockAnswer> {
  const began = clock.now();
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const answer = await server.lock(name, info, signal);
    if (answer === "taken") return answer;
    const wait = isLook(answer.holder?.id) ? Math.max(waitMilliseconds, LOOK_MILLISECONDS) : waitMilliseconds;
    const left = began + wait - clock.now();
    if (left <= 0) return answer;
    await clock.sleep(Math.min(left, scatteredPauseBefore(BACKOFF, attempt, random)), signal);
  }
}
