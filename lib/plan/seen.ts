import { optionalText } from "../core/decode.ts";
import type { Live } from "../kinds/live.ts";
import type { Seen, StateObject } from "../state/state.ts";
import type { PlanInput } from "./inputs.ts";

/** Now, by the service's clock if known, else by the local one. */
export function serviceNow({ now, serviceNow: said }: Pick<PlanInput, "now" | "serviceNow">): string {
  return said ?? now;
}

/**
 * What an apply records of a live status, with the time since when it holds, so that an unchanged status causes no
 * write.
 */
export function seenOf(live: Live, prior: StateObject | undefined, now: string): Pick<StateObject, "seen"> {
  const status = statusOf(live);
  if (status === undefined) return {};
  const [seen, last] = [prior?.seen, prior && lastSeen(prior)];
  // If another run saw a different status in between, this one cannot be older than that.
  if (seen?.status === status && last?.status === status && Date.parse(last.at) <= Date.parse(seen.at)) return { seen };
  return { seen: { status, at: since(live, status, prior) ?? laterThan(last, now) } };
}

/**
 * The last status that any run saw of an object, and since when, as far as known: the state and the observations of
 * read-only runs, merged by time.
 */
export function lastSeen(object: Pick<StateObject, "seen" | "observed">): Seen | undefined {
  const all = historyOf(object);
  const status = all.at(-1)?.status;
  return all[all.findLastIndex((each) => each.status !== status) + 1];
}

/** The last status that any run saw of a hostname before it was being deleted, or gone. */
export function lastAlive(object: Pick<StateObject, "seen" | "observed">): Seen | undefined {
  return historyOf(object).findLast(({ status }) => !DELETION.has(status));
}

/** Everything that was seen of an object, by time. */
function historyOf({ seen, observed = [] }: Pick<StateObject, "seen" | "observed">): readonly Seen[] {
  const all = seen ? [seen, ...observed] : [...observed];
  return all.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

/** A time later than the known one: the service's dates have whole seconds, and clocks differ. */
export function laterThan(known: Seen | undefined, now: string): string {
  if (known === undefined || Date.parse(known.at) < Date.parse(now)) return now;
  return new Date(Date.parse(known.at) + 1).toISOString();
}

/** The status of a live hostname; undefined if the service does not report it. */
export function statusOf(live: Live): string | undefined {
  const status = optionalText(live.status, "status");
  return status === "unknown" && live.status["ssl_status"] === undefined ? undefined : status;
}

/** A hostname that is pending when it is first seen has been pending since it was created. */
function since(live: Live, status: string, prior: StateObject | undefined): string | undefined {
  return status === "pending" && prior?.seen === undefined ? optionalText(live.status, "created_at") : undefined;
}

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/**
 * The service gives up on a hostname that was not validated within this time (75 tries in 7 days:
 * docs/service.md#back-off).
 */
const VALIDATION_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** The service deletes a hostname that has been moved away for this long (docs/service.md#hostname-lifecycle). */
const MOVED_RETENTION_MILLISECONDS = 7 * DAY_MILLISECONDS;

/**
 * A hostname that is never validated lives for at most 7 days as pending and 7 as moved, plus some hours for clock
 * differences.
 */
const LONGEST_UNVALIDATED_MILLISECONDS = 15 * DAY_MILLISECONDS;

/**
 * An hourly or daily job notices a moved hostname only after the move, and its deletion only after that. 7 days are a
 * multiple of both periods, so the tolerance only has to cover the jitter of the job's start.
 */
const SCHEDULE_MILLISECONDS = 2 * HOUR_MILLISECONDS;

/** Who deleted a hostname, as far as known. */
type Deleter = "service" | "somebody" | "unknown";

/**
 * Whether the service itself may have deleted a hostname that is gone (docs/semantics.md#expired-hostnames): it had
 * been moved away, or unvalidated, for as long as the service waits. Otherwise somebody deleted it.
 */
export function isExpired(object: StateObject, now: string): boolean {
  return object.kind === "custom_hostname" && deleterOf(object, now) !== "somebody";
}

/** Whether we only guess that the service deleted it, because both are possible. */
export function isGuessed(object: StateObject, now: string): boolean {
  return deleterOf(object, now) === "unknown";
}

function deleterOf(object: StateObject, now: string): Deleter {
  const history = historyOf(object);
  const alive = history.findLastIndex(({ status }) => !DELETION.has(status));
  if (alive < 0) return history.length === 0 ? "somebody" : "unknown";
  const last = history[alive]?.status;
  const first = history.slice(0, alive + 1).findLastIndex(({ status }) => status !== last) + 1;
  // It was gone by the time at which that was first seen, however much later this run looks.
  return deleterAfter(history[first - 1], history[first], Date.parse(history[alive + 1]?.at ?? now));
}

/** The status that is recorded of a hostname that is gone; the service has none for it. */
export const GONE = "gone";

/** Statuses of a hostname that is being deleted, or is gone. */
export const DELETION: ReadonlySet<string> = new Set(["pending_deletion", "deleted", GONE]);

/** Decides from the first sighting of the last status, and the last sighting before that, of a different one. */
function deleterAfter(before: Seen | undefined, seen: Seen | undefined, goneAt: number): Deleter {
  if (!seen) return "somebody";
  const stood = goneAt - Date.parse(seen.at);
  switch (seen.status) {
    case "active":
    case "active_redeploying":
      return "somebody";
    case "moved":
      if (stood >= MOVED_RETENTION_MILLISECONDS - SCHEDULE_MILLISECONDS) return "service";
      // It moved after it was last seen with another status; nobody saw when.
      return before && goneAt - Date.parse(before.at) < MOVED_RETENTION_MILLISECONDS ? "somebody" : "unknown";
    default:
      if (stood < VALIDATION_MILLISECONDS) return "somebody";
      // The sighting is so old that it may have been active since.
      return stood > LONGEST_UNVALIDATED_MILLISECONDS ? "unknown" : "service";
  }
}
