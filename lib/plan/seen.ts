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

/**
 * What the last look for drift saw of an object, if it saw what was known already: of that it writes nothing. A look at a
 * newer state than this one may have known more.
 */
export function seenUnchanged(
  object: Pick<StateObject, "seen" | "observed">,
  { state, driftChecks }: Pick<PlanInput, "state" | "driftChecks">,
): Seen | undefined {
  const known = historyOf(object).at(-1);
  const check = driftChecks?.last;
  if (!known || !check || check.serial > (state?.serial ?? 0)) return undefined;
  return Date.parse(known.at) < Date.parse(check.at) ? { status: known.status, at: check.at } : undefined;
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
export const MOVED_RETENTION_MILLISECONDS: number = 7 * DAY_MILLISECONDS;

/**
 * An hourly or daily job notices a moved hostname only after the move, and its deletion only after that. 7 days are a
 * multiple of both periods, so the tolerance only has to cover the jitter of the job's start.
 */
const SCHEDULE_MILLISECONDS = 2 * HOUR_MILLISECONDS;

/** A hostname that was not validated when last seen may have become active and served since, unless that was yesterday. */
const LONGEST_UNSEEN_MILLISECONDS = DAY_MILLISECONDS + SCHEDULE_MILLISECONDS;

/** Who deleted an object, as far as known. */
type Deleter = "service" | "somebody" | "unknown";

/** The parts of a plan's input that say when somebody looked. */
type Looked = Pick<PlanInput, "now" | "serviceNow" | "state" | "driftChecks">;

/**
 * Who deleted an object that is gone (docs/semantics.md#expired-hostnames): the service, if it is a hostname that had been
 * moved away, or unvalidated, for as long as the service waits.
 */
export function deleterOf(object: StateObject, input: Looked): Deleter {
  if (object.kind !== "custom_hostname") return "somebody";
  const unchanged = seenUnchanged(object, input);
  const history = [...historyOf(object), ...(unchanged ? [unchanged] : [])];
  const alive = history.findLastIndex(({ status }) => !DELETION.has(status));
  if (alive < 0) return history.length === 0 ? "somebody" : "unknown";
  const last = history[alive];
  const first = history.slice(0, alive + 1).findLastIndex(({ status }) => status !== last?.status) + 1;
  // It was gone by the time at which that was first seen, however much later this run looks.
  const goneAt = Date.parse(history[alive + 1]?.at ?? serviceNow(input));
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

/** The status that is recorded of a hostname that is gone; the service has none for it. */
export const GONE = "gone";

/** Statuses of a hostname that is being deleted, or is gone. */
export const DELETION: ReadonlySet<string> = new Set(["pending_deletion", "deleted", GONE]);

/** The first and the last sighting of the last status, and the last one before them, of a different status. */
interface Sightings {
  readonly before: Seen | undefined;
  readonly first: Seen | undefined;
  readonly last: Seen | undefined;
  /** It was seen validated at any time before. */
  readonly wasValidated: boolean;
}

function deleterAfter({ before, first, last, wasValidated }: Sightings, goneAt: number): Deleter {
  if (!first || !last) return "somebody";
  const stood = goneAt - Date.parse(first.at);
  if (first.status === "moved") {
    if (stood >= MOVED_RETENTION_MILLISECONDS - SCHEDULE_MILLISECONDS) return "service";
    // It moved after it was last seen with another status; nobody saw when.
    return before && goneAt - Date.parse(before.at) < MOVED_RETENTION_MILLISECONDS ? "somebody" : "unknown";
  }
  if (VALIDATED.has(first.status) || stood < VALIDATION_MILLISECONDS) return "somebody";
  const mayBeServed = goneAt - Date.parse(last.at) > LONGEST_UNSEEN_MILLISECONDS;
  return wasValidated || mayBeServed || !UNVALIDATED.has(first.status) ? "unknown" : "service";
}
