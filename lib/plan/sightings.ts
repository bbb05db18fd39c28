import { isHostname } from "../kinds/registry.ts";
import { DELETION, GONE } from "../kinds/traits/judged.ts";
import type { Observation } from "../state/observations.ts";
import type { StateObject } from "../state/state.ts";
import type { PlanInput } from "./inputs.ts";
import { lastSeen, laterThan, seenUnchanged, statusOf } from "./seen.ts";
import { hostnameAddress, liveHostnames } from "./targets.ts";

/** The parts of a plan's input with the observations of runs. */
type Looked = Pick<PlanInput, "live" | "state" | "observed" | "serviceNow" | "driftChecks">;

/** A hostname as found. */
type Found = Pick<Observation, "id" | "hostname" | "status">;

/**
 * New observations of hostnames: a line for each status that differs from the known one, so that an unchanged hostname
 * costs nothing, and one that says until when the known one was seen. A deleted tracked hostname has a line too: the
 * day on which it was first missing tells who deleted it. Empty if the service has not given its time.
 */
export function newSightings(input: Looked): readonly Observation[] {
  const { serviceNow } = input;
  if (serviceNow === undefined) return [];
  return [...foundLive(input), ...foundGone(input)].flatMap((found) => {
    const prior = trackedAs(input, found);
    const observed = input.observed?.get(found.id) ?? [];
    const known = lastSeen(prior ?? { observed });
    if (!isNews(found.status, known?.status, observed.at(-1)?.status, prior !== undefined)) return [];
    const unchanged = seenUnchanged(prior ?? { observed }, input);
    const until = unchanged && unchanged.status !== found.status ? [{ ...found, ...unchanged }] : [];
    return [...until, { ...found, at: laterThan(unchanged ?? known, serviceNow) }];
  });
}

function foundLive(input: Looked): readonly Found[] {
  return [...liveHostnames(input.live).values()].flatMap((live) => {
    const status = statusOf(live);
    return status === undefined ? [] : [{ id: live.id, hostname: live.key, status }];
  });
}

/**
 * The tracked hostnames that are not live, except those that only a policy mentions: who deleted them does not matter.
 */
function foundGone(input: Looked): readonly Found[] {
  const live = liveHostnames(input.live);
  return [...(input.state?.objects.values() ?? [])]
    .filter(({ kind, id, pending, undeclared }) => isHostname(kind) && id !== "" && !pending && !undeclared)
    .filter(({ id, key }) => live.get(key)?.id !== id)
    .map(({ id, key }) => ({ id, hostname: key, status: GONE }));
}

/**
 * For an untracked hostname only its move matters, because the service deletes it after that. What an apply has seen
 * since the last line is not new; but if a new line follows, it is recorded too, so that the record is complete by
 * itself. The absence of a hostname says something only after an earlier status.
 */
function isNews(status: string, known: string | undefined, recorded: string | undefined, isTracked: boolean): boolean {
  if (status === GONE) return known !== undefined && !DELETION.has(known);
  if (known === undefined) return isTracked || status === "moved";
  return status !== known || (recorded !== undefined && status !== recorded);
}

/** What the state has about exactly this hostname. */
function trackedAs({ state }: Looked, { id, hostname }: Found): StateObject | undefined {
  const prior = state?.objects.get(hostnameAddress(hostname));
  return prior?.id === id ? prior : undefined;
}

/** How long to keep observations of a hostname that is neither live nor tracked. */
const KEPT_MILLISECONDS = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns a test, by a hostname's newest line, whether its observations are still useful: it is live, tracked, or was
 * seen recently.
 */
export function usefulness(input: PlanInput): (newest: Observation) => boolean {
  const ids = new Set([...liveHostnames(input.live).values()].map(({ id }) => id));
  for (const { id } of input.state?.objects.values() ?? []) ids.add(id);
  const now = Date.parse(input.serviceNow ?? input.now);
  return ({ id, at }) => ids.has(id) || now - Date.parse(at) < KEPT_MILLISECONDS;
}
