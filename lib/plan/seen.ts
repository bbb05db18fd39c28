import { optionalText } from "../core/decode.ts";
import type { Live } from "../resources/kind.ts";
import type { StateObject } from "../state/state.ts";

/** What is remembered of a live object's status: with the moment since which it stands, so that an unchanged status changes nothing. */
export function seenOf(live: Live, prior: StateObject | undefined, now: string): Pick<StateObject, "seen"> {
  const status = statusOf(live);
  if (status === undefined) return {};
  return { seen: prior?.seen?.status === status ? prior.seen : { status, at: since(live, status, prior) ?? now } };
}

function statusOf(live: Live): string | undefined {
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
export function isGuessed({ seen }: StateObject, now: string): boolean {
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
export function isExpired({ kind, seen }: StateObject, now: string): boolean {
  if (kind !== "custom_hostname" || !seen) return false;
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
