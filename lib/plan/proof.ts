import { optionalText } from "../core/decode.ts";
import { formatPath, type JsonObject, leaves, valueAt } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";

/** Clocks differ: an object counts as older than a request only beyond this much. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60_000;

/**
 * From its intent on, the client waits at most 10 minutes for the service's limits and 3 for the answer, and a replacement
 * deletes first: what was created later than this, and the tolerance, is not the work of that request.
 */
const LONGEST_REQUEST_MILLISECONDS = 15 * 60_000;

/** No list lags behind for this long: a create that has not shown by then never took effect. */
const LONGEST_LAG_MILLISECONDS = 60 * 60_000;

/** Whether an object was there before a request was sent (ms since the epoch), so that the request did not make it. */
export function isOlder(live: Live, sentAt: number): boolean {
  const createdAt = optionalText(live.status, "created_at");
  return createdAt !== undefined && Date.parse(createdAt) < sentAt - CLOCK_TOLERANCE_MILLISECONDS;
}

/**
 * Whether what is found under the key of a create that nobody saw the answer of is what that create made: created when
 * the request was under way, and as it was sent in all that the service shows. A name alone may be somebody else's, and
 * what is proven here may be deleted: so a hostname without a date, or nothing on record of what was sent, proves nothing.
 */
export function isProvenOurs(kind: Kind, { applied, since }: StateObject, live: Live): boolean {
  if (Object.keys(applied).length === 0 || !isDatedOurs(kind, since, live)) return false;
  const { leaves: differing, rules, held } = kind.compare({ desired: applied, prior: undefined, live, options: {} });
  const shown = [...differing, ...(held?.leaves ?? [])].filter(
    ({ path }) => !kind.writeOnly.includes(formatPath(path)),
  );
  return rules.length === 0 && shown.length === 0 && !hasMore(kind, applied, live);
}

/** Whether live has what the service never fills in by itself, and what was not sent: then somebody else made it. */
function hasMore({ neverFilled = [] }: Kind, applied: JsonObject, live: Live): boolean {
  return leaves(live.values).some(
    ({ path, value }) => value !== null && neverFilled.includes(path[0] ?? "") && valueAt(applied, path) === undefined,
  );
}

/**
 * An object that is shared with others bears no date of its own. It is known by what of it is ours: rules with our names
 * and our content, and no others, are taken away only as far as they are still so.
 */
function isDatedOurs(kind: Kind, since: string | undefined, live: Live): boolean {
  if (kind.adoption === "when-told") return true;
  // The service dates no certificate pack: what it covers, by whom and for how long is all that tells it.
  if (kind.replacement === "create-first") return true;
  const createdAt = optionalText(live.status, "created_at");
  if (since === undefined || createdAt === undefined) return false;
  const latest = Date.parse(since) + LONGEST_REQUEST_MILLISECONDS + CLOCK_TOLERANCE_MILLISECONDS;
  return !isOlder(live, Date.parse(since)) && Date.parse(createdAt) <= latest;
}

/** Within this time the service carries a step out that was asked for (up to an hour for `waf_migration`: docs/service.md#waf-migration). */
const LONGEST_STEP_MILLISECONDS = 60 * 60_000;

/** Whether a step that may have been asked for would show by now, so that it has to be asked for again. */
export function isAskedInVain({ asked }: StateObject, now: string): boolean {
  // By a clock that was wrong it may have been asked for in the future.
  return asked !== undefined && Math.abs(Date.parse(now) - Date.parse(asked)) > LONGEST_STEP_MILLISECONDS;
}

/** Whether a create of unknown fate is so long ago that its absence from a list means what it says. */
export function isLongAgo({ since }: StateObject, now: string): boolean {
  return since !== undefined && Date.parse(now) - Date.parse(since) > LONGEST_LAG_MILLISECONDS;
}
