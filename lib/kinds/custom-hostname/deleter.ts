import { DELETION, type Deleter, type Sighting } from "../traits/judged.ts";
import { HOSTNAME_STANDINGS } from "./states.ts";

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/**
 * The service gives up on a hostname that was not validated within this time (75 tries in 7 days:
 * docs/service.md#back-off).
 */
const VALIDATION_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** The service deletes a hostname that has been moved away for this long (docs/service.md#hostname-lifecycle). */
export const MOVED_RETENTION_MILLISECONDS: number = 7 * DAY_MILLISECONDS;

/**
 * An hourly or daily job notices a moved hostname only after the move, and its deletion only after that. 7 days are a
 * multiple of both periods, so the tolerance only has to cover the jitter of the job's start.
 */
const SCHEDULE_MILLISECONDS = 2 * HOUR_MILLISECONDS;

/**
 * A hostname that was not validated when last seen may have become active and served traffic since, unless it was seen
 * within about a day.
 */
const LONGEST_UNSEEN_MILLISECONDS = DAY_MILLISECONDS + SCHEDULE_MILLISECONDS;

/**
 * Who deleted a missing hostname (docs/semantics.md#expired-hostnames): the service, if it had been moved away, or
 * unvalidated, for as long as the service waits.
 */
export function deletedBy(history: readonly Sighting[], now: string): Deleter {
  const alive = history.findLastIndex(({ status }) => !DELETION.has(status));
  if (alive < 0) return history.length === 0 ? "somebody" : "unknown";
  const last = history[alive];
  const first = history.slice(0, alive + 1).findLastIndex(({ status }) => status !== last?.status) + 1;
  // It was deleted before it was first seen missing, however much later this run checks.
  const goneAt = Date.parse(history[alive + 1]?.at ?? now);
  const wasValidated = history.slice(0, first).some(({ status }) => VALIDATED.has(status));
  return deleterAfter({ before: history[first - 1], first: history[first], last, wasValidated }, goneAt);
}

/** Statuses of a hostname that was validated: the service deletes it only after it moved away. */
const VALIDATED: ReadonlySet<string> = new Set([
  "active",
  "active_redeploying",
  "pending_provisioned",
  "provisioned",
  "test_active",
  "test_active_apex",
  "moved",
]);

/** Statuses of a hostname that may never have been validated. */
const UNVALIDATED: ReadonlySet<string> = new Set([
  "pending",
  "blocked",
  "pending_blocked",
  "pending_migration",
  "caa_error",
  "test_pending",
  "test_blocked",
  "test_failed",
]);

/**
 * The last final status of a missing hostname before its deletion, else `active`: one that was pending when last seen
 * may have served traffic since.
 */
export function lastStatus(history: readonly Sighting[]): string {
  const seen = history.findLast(({ status }) => !DELETION.has(status))?.status ?? "active";
  return HOSTNAME_STANDINGS[seen]?.phase === "final" ? seen : "active";
}

/** The first and the last sighting of the last status, and the last one before them, of a different status. */
interface Sightings {
  readonly before: Sighting | undefined;
  readonly first: Sighting | undefined;
  readonly last: Sighting | undefined;
  /** It was seen validated at any time before. */
  readonly wasValidated: boolean;
}

function deleterAfter({ before, first, last, wasValidated }: Sightings, goneAt: number): Deleter {
  if (!first || !last) return "somebody";
  const stood = goneAt - Date.parse(first.at);
  if (first.status === "moved") {
    if (stood >= MOVED_RETENTION_MILLISECONDS - SCHEDULE_MILLISECONDS) return "service";
    // It moved after it was last seen with another status; the exact time is unknown.
    return before && goneAt - Date.parse(before.at) < MOVED_RETENTION_MILLISECONDS ? "somebody" : "unknown";
  }
  if (VALIDATED.has(first.status) || stood < VALIDATION_MILLISECONDS) return "somebody";
  const mayBeServed = goneAt - Date.parse(last.at) > LONGEST_UNSEEN_MILLISECONDS;
  return wasValidated || mayBeServed || !UNVALIDATED.has(first.status) ? "unknown" : "service";
}
