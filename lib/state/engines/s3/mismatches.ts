import { pauseBefore } from "../../../core/backoff.ts";
import { conditionsIgnored } from "./failure.ts";
import { BACKOFF } from "./patience.ts";
import type { Place } from "./place.ts";

/** So often in a row a server may refuse what, as it then says itself, it should take. */
const MOST_MISMATCHES = 5;

/**
 * Counts how often the server refused a conditional write, and pauses each time. Throws `StateError`, with what is wrong
 * with the server, if it keeps refusing to change the same version. Once is right: an earlier request may have come late.
 */
export function mismatches(
  { steady, where, signal }: Place,
  what = "it refuses a write with the right If-Match",
): (version?: string) => Promise<void> {
  let refused: string | undefined;
  let times = 0;
  return async (version) => {
    times = version === refused ? times + 1 : 1;
    refused = version;
    if (times >= MOST_MISMATCHES) throw conditionsIgnored(where, what);
    await steady.sleep(pauseBefore(BACKOFF, times - 1), signal);
  };
}
