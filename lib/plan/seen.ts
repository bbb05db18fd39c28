import { optionalText } from "../core/decode.ts";
import type { Live } from "../resources/kind.ts";
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
export function lastSeen({ seen, observed = [] }: Pick<StateObject, "seen" | "observed">): Seen | undefined {
  const all = seen ? [seen, ...observed] : [...observed];
  all.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
  const status = all.at(-1)?.status;
  return all[all.findLastIndex((each) => each.status !== status) + 1];
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

/** The service gives up a hostname that was not validated for this long (public fact: 75 tries in 7 days). */
const VALIDATION_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/** From its creation a hostname that is never validated lives at most 7 days as pending and 7 as moved, and some hours of the clock. */
const LONGEST_UNVALIDATED_MILLISECONDS = 15 * 24 * 60 * 60 * 1000;

/** Whether it is only guessed that the service deleted it: it was last seen so long ago that it may have been active since. */
export function isGuessed(object: StateObject, now: string): boolean {
  const seen = lastSeen(object);
  return (
    seen !== undefined &&
    seen.status !== "moved" &&
    Date.parse(now) - Date.parse(seen.at) > LONGEST_UNVALIDATED_MILLISECONDS
  );
}

/**
 * Whether a hostname that is gone may have been deleted by the service itself (product semantics 5): it had moved when
 * it was last seen, or had not been validated for as long as the service tries. Any other was deleted by somebody.
 */
export function isExpired(object: StateObject, now: string): boolean {
  const seen = lastSeen(object);
  if (object.kind !== "custom_hostname" || !seen) return false;
  switch (seen.status) {
    case "active":
    case "active_redeploying":
      return false;
    case "moved":
      return true;
    default:
      return Date.parse(now) - Date.parse(seen.at) >= VALIDATION_MILLISECONDS;
  }
}
