import type { Clock } from "../core/clock.ts";

/**
 * A look that is to settle a write of unknown fate. One that fails itself settles nothing: then the write stays unknown,
 * and the failure of the look must not pass for the failure of the write.
 */
export async function look<T>(asked: Promise<T>): Promise<T | "unknown"> {
  return asked.catch(() => "unknown" as const);
}

/** Lists lag behind writes: an object is looked for this often before it counts as not to be found. */
const LOOKS = 4;
const FIRST_WAIT_MILLISECONDS = 500;

/** Looks for an object whose create may have taken effect, a few times with growing waits. */
export async function findAgain<T>(clock: Clock, find: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(FIRST_WAIT_MILLISECONDS * 2 ** (look - 1));
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}
