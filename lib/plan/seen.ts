import { optionalText } from "../core/decode.ts";
import type { Live } from "../kinds/live.ts";
import type { Seen, StateObject } from "../state/state.ts";
import type { PlanInput } from "./inputs.ts";

/** Now, by the clock of the service; by the local one where the service has not said it. */
export function serviceNow({ now, serviceNow: said }: Pick<PlanInput, "now" | "serviceNow">): string {
  return said ?? now;
}

/** What an apply remembers of a live object's status: with the moment since which it stands, so that an unchanged status changes nothing. */
export function seenOf(live: Live, prior: StateObject | undefined, now: string): Pick<StateObject, "seen"> {
  const status = statusOf(live);
  if (status === undefined) return {};
  const [seen, last] = [prior?.seen, prior && lastSeen(prior)];
  // Where another run saw another status in between, it stands since then at the earliest.
  if (seen?.status === status && last?.status === status && Date.parse(last.at) <= Date.parse(seen.at)) return { seen };
  return { seen: { status, at: since(live, status, prior) ?? laterThan(last, now) } };
}

/**
 * The last status that anybody saw of an object, and since when it stands as far as is known: what applies remember and
 * what other runs observed, merged by time.
 */
export function lastSeen(object: Pick<StateObject, "seen" | "observed">): Seen | undefined {
  const all = historyOf(object);
  const status = all.at(-1)?.status;
  return all[all.findLastIndex((each) => each.status !== status) + 1];
}

/** All that anybody saw of an object, by time. */
function historyOf({ seen, observed = [] }: Pick<StateObject, "seen" | "observed">): readonly Seen[] {
  const all = seen ? [seen, ...observed] : [...observed];
  return all.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

/** A moment that comes after what is known: the service dates in whole seconds, and clocks differ. */
export function laterThan(known: Seen | undefined, now: string): string {
  if (known === undefined || Date.parse(known.at) < Date.parse(now)) return now;
  return new Date(Date.parse(known.at) + 1).toISOString();
}

/** The status of a live hostname; undefined where the service does not say it. */
export function statusOf(live: Live): string | undefined {
  const status = optionalText(live.status, "status");
  return status === "unknown" && live.status["ssl_status"] === undefined ? undefined : status;
}

/** A hostname that is pending when it is first seen has been so since it was created. */
function since(live: Live, status: string, prior: StateObject | undefined): string | undefined {
  return status === "pending" && prior?.seen === undefined ? optionalText(live.status, "created_at") : undefined;
}

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/** The service gives up a hostname that was not validated for this long (75 tries in 7 days: docs/service.md#back-off). */
const VALIDATION_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** The service deletes a hostname that has been moved for this long (docs/service.md#hostname-lifecycle). */
const MOVED_RETENTION_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** From its creation a hostname that is never validated lives at most 7 days as pending and 7 as moved, and some hours of the clock. */
const LONGEST_UNVALIDATED_MILLISECONDS = 15 * DAY_MILLISECONDS;

/**
 * A job that looks every hour or every day sees a hostname move away after it did, and misses it after it is gone; 7 days
 * are a whole number of both, so only the minutes count by which the job starts early.
 */
const SCHEDULE_MILLISECONDS = 2 * HOUR_MILLISECONDS;

/** Who deleted a hostname that is gone, as far as it is known. */
type Deleter = "service" | "somebody" | "unknown";

/**
 * Whether a hostname that is gone may have been deleted by the service itself (docs/semantics.md#expired-hostnames): it had been moved
 * away, or not been validated, for as long as the service waits. Any other was deleted by somebody.
 */
export function isExpired(object: StateObject, now: string): boolean {
  return object.kind === "custom_hostname" && deleterOf(object, now) !== "somebody";
}

/** Whether it is only guessed that the service deleted it: what was seen of it fits both. */
export function isGuessed(object: StateObject, now: string): boolean {
  return deleterOf(object, now) === "unknown";
}

function deleterOf(object: StateObject, now: string): Deleter {
  const history = historyOf(object);
  const alive = history.findLastIndex(({ status }) => !DELETION.has(status));
  if (alive < 0) return history.length === 0 ? "somebody" : "unknown";
  const last = history[alive]?.status;
  const first = history.slice(0, alive + 1).findLastIndex(({ status }) => status !== last) + 1;
  // Where its deletion was seen, it had gone by then.
  return deleterAfter(history[first - 1], history[first], Date.parse(history[alive + 1]?.at ?? now));
}

/** Statuses of a hostname that somebody, or the service, deletes already. */
const DELETION: ReadonlySet<string> = new Set(["pending_deletion", "deleted"]);

/** By the first sighting of its last status, and the last one before that, which saw another status. */
function deleterAfter(before: Seen | undefined, seen: Seen | undefined, goneAt: number): Deleter {
  if (!seen) return "somebody";
  const stood = goneAt - Date.parse(seen.at);
  switch (seen.status) {
    case "active":
    case "active_redeploying":
      return "somebody";
    case "moved":
      if (stood >= MOVED_RETENTION_MILLISECONDS - SCHEDULE_MILLISECONDS) return "service";
      // It moved after it was last seen otherwise; nobody saw when.
      return before && goneAt - Date.parse(before.at) < MOVED_RETENTION_MILLISECONDS ? "somebody" : "unknown";
    default:
      if (stood < VALIDATION_MILLISECONDS) return "somebody";
      // So long ago that it may have been active since.
      return stood > LONGEST_UNVALIDATED_MILLISECONDS ? "unknown" : "service";
  }
}
