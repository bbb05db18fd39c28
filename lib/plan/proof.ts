import { optionalText } from "../core/decode.ts";
import { formatPath, type JsonObject, leaves, valueAt } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";

/** Clocks differ: an object only counts as older than a request beyond this difference. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60_000;

/**
 * After recording the intent, the client waits at most 10 minutes for the service's limits and 3 for the response, and
 * a replacement deletes first: an object created later than this, plus the tolerance, is not the result of that
 * request.
 */
const LONGEST_REQUEST_MILLISECONDS = 15 * 60_000;

/** No list lags this long: a create that does not show by then never took effect. */
const LONGEST_LAG_MILLISECONDS = 60 * 60_000;

/** Whether an object existed before a request was sent (ms since the epoch), so that the request did not create it. */
export function isOlder(live: Live, sentAt: number): boolean {
  const createdAt = optionalText(live.status, "created_at");
  return createdAt !== undefined && Date.parse(createdAt) < sentAt - CLOCK_TOLERANCE_MILLISECONDS;
}

/**
 * Whether the object found under the name of a create whose response was lost is the one that it created: it was
 * created while the request was under way, and has what was sent in every field that the service shows. The name alone
 * is no proof, and a proven object may be deleted, so a hostname without a date, or a create without a record of what
 * was sent, proves nothing.
 */
export function isProvenOurs(kind: Kind, { applied, since }: StateObject, live: Live): boolean {
  if (Object.keys(applied).length === 0 || !isDatedOurs(kind, since, live)) return false;
  const { leaves: differing, rules, held } = kind.compare({ desired: applied, prior: undefined, live, options: {} });
  const shown = [...differing, ...(held?.leaves ?? [])].filter(
    ({ path }) => !kind.writeOnly.includes(formatPath(path)),
  );
  return rules.length === 0 && shown.length === 0 && !hasMore(kind, applied, live);
}

/** Whether live has values that we did not send and that the service never fills in: then somebody else created it. */
function hasMore({ neverFilled = [] }: Kind, applied: JsonObject, live: Live): boolean {
  return leaves(live.values).some(
    ({ path, value }) => value !== null && neverFilled.includes(path[0] ?? "") && valueAt(applied, path) === undefined,
  );
}

/** A shared object has no date of its own. Our rules identify it: it has only rules with our names and content. */
function isDatedOurs(kind: Kind, since: string | undefined, live: Live): boolean {
  if (kind.adoption === "when-told") return true;
  // The service does not date certificate packs: only their hosts, CA and validity identify them.
  if (kind.replacement === "create-first") return true;
  const createdAt = optionalText(live.status, "created_at");
  if (since === undefined || createdAt === undefined) return false;
  const latest = Date.parse(since) + LONGEST_REQUEST_MILLISECONDS + CLOCK_TOLERANCE_MILLISECONDS;
  return !isOlder(live, Date.parse(since)) && Date.parse(createdAt) <= latest;
}

/**
 * The service takes at most this long to complete a step (up to an hour for `waf_migration`:
 * docs/service.md#waf-migration).
 */
const LONGEST_STEP_MILLISECONDS = 60 * 60_000;

/** Whether a step would show by now if it had taken effect, so it must be sent again. */
export function hasRequestLapsed({ asked }: StateObject, now: string): boolean {
  // With a wrong clock, the request may be dated in the future.
  return asked !== undefined && Math.abs(Date.parse(now) - Date.parse(asked)) > LONGEST_STEP_MILLISECONDS;
}

/** Whether an unfinished create is so old that absence from a list proves that it does not exist. */
export function isLongAgo({ since }: StateObject, now: string): boolean {
  return since !== undefined && Date.parse(now) - Date.parse(since) > LONGEST_LAG_MILLISECONDS;
}
