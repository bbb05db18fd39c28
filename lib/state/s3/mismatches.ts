import { pauseBefore } from "../../core/backoff.ts";
import { conditionsIgnored } from "./failure.ts";
import { BACKOFF } from "./patience.ts";
import type { Place } from "./place.ts";

/** So often in a row a server may refuse to replace a version that it then shows again. */
const MOST_MISMATCHES = 5;

/**
 * Counts how often the server refused to replace a version, and pauses each time. Throws `StateError` if it keeps refusing
 * the same one.
 */
export function mismatches({ steady, where, signal }: Place): (tag?: string) => Promise<void> {
  let refused: string | undefined;
  let times = 0;
  return async (tag) => {
    times = tag === refused ? times + 1 : 1;
    refused = tag;
    if (times >= MOST_MISMATCHES) throw conditionsIgnored(where, "it refuses a write with the right If-Match");
    await steady.sleep(pauseBefore(BACKOFF, times - 1), signal);
  };
}
