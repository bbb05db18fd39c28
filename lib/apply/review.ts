import { equal } from "../core/json.ts";
import type { ZonePlan } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Reviewed, State } from "../state/state.ts";
import { look } from "./look.ts";
import { serviceMoment } from "./moment.ts";
import type { ApplyRun } from "./run.ts";

/**
 * The foreign rules as reviewed by this run, if that is news: those that whoever approved it was shown, and that are
 * still so now, under the lock and after our writes. Undefined if nothing was shown, nothing changed, or nothing could be
 * read.
 */
export async function reviewRules(run: ApplyRun, section: ZonePlan, state: State): Promise<Reviewed | undefined> {
  const { zone, reviewed: shown } = section;
  if (!shown || equal(shown, state.reviewed?.entryPoints)) return undefined;
  const kind = kindNamed("ruleset");
  const lives = await look(all(kind.list(run.client, zone.id, Object.keys(shown), run.world.signal)));
  if (lives === "unknown") return undefined;
  const entryPoints = Object.fromEntries(
    lives.flatMap((live) => {
      const [seen, prior] = [shown[live.key], state.objects.get(localAddress("ruleset", live.key))];
      if (!seen) return [];
      return [[live.key, kind.shared?.unchanged(seen, { key: live.key, prior: prior?.applied, live }) ?? []]];
    }),
  );
  if (equal(entryPoints, state.reviewed?.entryPoints)) return undefined;
  return { at: new Date(serviceMoment(run.client, run.world.clock)).toISOString(), entryPoints };
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
