import { equal, type JsonObject } from "../core/json.ts";
import type { ZonePlan } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Reviewed, State } from "../state/state.ts";
import { look } from "./look.ts";
import { serviceMoment } from "./moment.ts";
import { type ApplyRun, whyStopped } from "./run.ts";

/**
 * The last review after a run that nobody reviewed, if that made it narrower: where it put our rules ahead of foreign
 * ones, a foreign rule that is ahead again later was put there by somebody.
 */
export function narrowReview({ watch }: ZonePlan, before: State, state: State): Reviewed | undefined {
  const { reviewed, objects } = state;
  if (!reviewed) return undefined;
  const entryPoints = Object.fromEntries(
    Object.entries(reviewed.entryPoints).map(([key, rules]) => {
      const [address, shown] = [localAddress("ruleset", key), watch?.shown[key]];
      const isWritten = objects.get(address) !== before.objects.get(address);
      return [key, shown && isWritten ? (kindNamed("ruleset").shared?.narrowed(rules, shown) ?? rules) : rules];
    }),
  );
  return equal(entryPoints, reviewed.entryPoints) ? undefined : { ...reviewed, entryPoints };
}

/**
 * The foreign rules as reviewed by this run, if that is news: those that whoever approved it was shown, and that are
 * still so now, under the lock and after our writes. Undefined if nothing was shown, nothing changed, an entry point could
 * not be read, or the run was stopped: the snapshot does not wait then.
 */
export async function reviewRules(run: ApplyRun, section: ZonePlan, state: State): Promise<Reviewed | undefined> {
  const { zone, reviewed: shown } = section;
  if (!shown || whyStopped(run) !== undefined || equal(shown, state.reviewed?.entryPoints ?? {})) return undefined;
  const kind = kindNamed("ruleset");
  const entryPoints: Record<string, readonly JsonObject[]> = {};
  for (const [key, seen] of Object.entries(shown)) {
    const live = await look(kind.find(run.client, zone.id, key, run.world.signal));
    if (live === "unknown") return undefined;
    const prior = state.objects.get(localAddress("ruleset", key))?.applied;
    if (live) entryPoints[key] = kind.shared?.unchanged(seen, { key, prior, live }) ?? [];
  }
  if (equal(entryPoints, state.reviewed?.entryPoints)) return undefined;
  return { at: new Date(serviceMoment(run.client, run.world.clock)).toISOString(), entryPoints };
}
