import type { Clock } from "../core/clock.ts";

/**
 * A read that shall settle a write with a lost response. If the read fails, the write stays unknown; the read's error
 * must not count as the write's.
 */
export async function look<T>(asked: Promise<T>): Promise<T | "unknown"> {
  return asked.catch(() => "unknown" as const);
}

/** Lists lag behind writes, so we look this often before we give up. */
const LOOKS = 4;
const FIRST_WAIT_MILLISECONDS = 500;

/** Looks for an object whose create may have taken effect, several times with growing waits. */
export async function findAgain<T>(clock: Clock, find: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(FIRST_WAIT_MILLISECONDS * 2 ** (look - 1));
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}
