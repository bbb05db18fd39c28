import { optionalText } from "../core/decode.ts";
import { formatPath } from "../core/json.ts";
import type { Kind, Live } from "../resources/kind.ts";
import type { StateObject } from "../state/state.ts";

/** Clocks differ: an object counts as older than a request only beyond this much. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60_000;

/** No list lags behind for this long: a create that has not shown by then never took effect. */
const LONGEST_LAG_MILLISECONDS = 60 * 60_000;

/** Whether an object was there before a request was sent (ms since the epoch), so that the request did not make it. */
export function isOlder(live: Live, sentAt: number): boolean {
  const createdAt = optionalText(live.status, "created_at");
  return createdAt !== undefined && Date.parse(createdAt) < sentAt - CLOCK_TOLERANCE_MILLISECONDS;
}

/**
 * Whether what is found under the key of a create that nobody saw the answer of is what that create made: not older
 * than the request, and as it was sent in all that the service shows. A name alone may be somebody else's.
 */
export function isProvenOurs(kind: Kind, { applied, since }: StateObject, live: Live): boolean {
  if (since !== undefined && isOlder(live, Date.parse(since))) return false;
  const { leaves, rules, held } = kind.compare({ desired: applied, prior: undefined, live, options: {} });
  const shown = [...leaves, ...(held?.leaves ?? [])].filter(({ path }) => !kind.writeOnly.includes(formatPath(path)));
  return rules.length === 0 && shown.length === 0;
}

/** Whether a create of unknown fate is so long ago that its absence from a list means what it says. */
export function isLongAgo({ since }: StateObject, now: string): boolean {
  return since !== undefined && Date.parse(now) - Date.parse(since) > LONGEST_LAG_MILLISECONDS;
}
