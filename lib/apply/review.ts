import { problem } from "../core/problem.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import { equal, type JsonObject } from "../core/json.ts";
import type { ZonePlan } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import { kindNamed } from "../kinds/registry.ts";
import { serviceMoment } from "../service/client.ts";
import { explainFailure } from "../service/explain-failure.ts";
import type { Reviewed, State } from "../state/state.ts";
import { type ApplyRun, whyStopped } from "./run.ts";

/**
 * The last review after a run whose plan no person saw, if that run made it narrower: it put our rules ahead of foreign
 * ones, so a foreign rule that is ahead of them again later was moved there since.
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
 * The foreign rules as reviewed by this run, if that is news: those that the approved plan showed, and that are still so
 * now, under the lock and after our writes. Undefined if nothing was shown, nothing changed, the run was stopped (the
 * snapshot does not wait then), or an entry point could not be read, which is a warning.
 */
export async function reviewRules(run: ApplyRun, section: ZonePlan, state: State): Promise<Reviewed | undefined> {
  const { client, world } = run;
  const { zone, reviewed: shown } = section;
  const before = state.reviewed?.entryPoints;
  if (!shown || whyStopped(run) !== undefined || equal(shown, before ?? {})) return undefined;
  const kind = kindNamed("ruleset");
  const entryPoints: Record<string, readonly JsonObject[]> = {};
  try {
    for (const [key, seen] of Object.entries(shown)) {
      const live = await kind.find(client, zone.id, key, world.signal);
      const prior = state.objects.get(localAddress("ruleset", key))?.applied;
      if (live) entryPoints[key] = kind.shared?.unchanged(seen, { key, prior, live }) ?? [];
    }
  } catch (failure) {
    world.note?.(notRecorded(zone.name, failure));
    return undefined;
  }
  if (equal(entryPoints, before)) return undefined;
  return { at: new Date(serviceMoment(client, world.clock)).toISOString(), entryPoints };
}

function notRecorded(zone: string, failure: unknown): Diagnostic {
  return warning(problem("review-not-recorded", { zone, cause: explainFailure(failure).message }));
}
