import { optionalText } from "../core/decode.ts";
import type { Live } from "../kinds/live.ts";
import { kindIfNamed } from "../kinds/registry.ts";
import type { Deleter } from "../kinds/traits/judged.ts";
import type { Seen, StateObject } from "../state/state.ts";
import type { PlanInput } from "./inputs.ts";

/** Now, by the service's clock if known, else by the local one. */
export function serviceNow({ now, serviceNow: said }: Pick<PlanInput, "now" | "serviceNow">): string {
  return said ?? now;
}

/**
 * The live status that an apply records, with the time since when it holds, so that an unchanged status causes no
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

/**
 * What the last drift check saw of an object, if it saw a known status, because it writes nothing then. A check against
 * a newer state than this one may have known more.
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

/** All observations of an object, by time. */
export function historyOf({ seen, observed = [] }: Pick<StateObject, "seen" | "observed">): readonly Seen[] {
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

/** The parts of a plan's input that say when a run looked. */
type Looked = Pick<PlanInput, "now" | "serviceNow" | "state" | "driftChecks">;

/** Who deleted a missing object, as far as the observations tell. */
export function deleterOf(object: StateObject, input: Looked): Deleter {
  const unchanged = seenUnchanged(object, input);
  const history = [...historyOf(object), ...(unchanged ? [unchanged] : [])];
  return kindIfNamed(object.kind)?.deletedBy?.(history, serviceNow(input)) ?? "somebody";
}
