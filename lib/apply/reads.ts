import type { Clock } from "../core/clock.ts";
import type { Live } from "../kinds/live.ts";
import type { ReadContext } from "../kinds/traits/remote.ts";
import type { Attempt } from "./attempt.ts";

/**
 * Reads the change's object by its id. With a try as `context`, this is the read that the write relies on; with the
 * attempt, it is not.
 */
export function reread({ change, kind }: Attempt, { client, zone, signal }: ReadContext): Promise<Live | undefined> {
  return kind.read(client, zone, { id: change.id ?? "", key: change.key }, signal);
}

/**
 * A read that is to settle a write with a lost response. If the read fails, the write stays unknown; the read's error
 * must not count as the write's.
 */
export async function readOrUnknown<T>(read: Promise<T>): Promise<T | "unknown"> {
  return read.catch(() => "unknown" as const);
}

/** How often to look for an object before giving up: lists lag behind writes. */
const LOOKS = 4;
const FIRST_WAIT_MILLISECONDS = 500;

/** Looks for an object whose create may have taken effect, several times with growing waits. Repeats no write. */
export async function findAgain<T>(clock: Clock, find: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(FIRST_WAIT_MILLISECONDS * 2 ** (look - 1));
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}
