import type { Engine, ZoneKey } from "../engine.ts";
import { type EntryRole, roleOf } from "./names.ts";

/** The zones for which something is kept besides a lock, in order: of one project, or of all. */
export async function keptZones(engine: Engine, project?: string): Promise<readonly ZoneKey[]> {
  const kept: ZoneKey[] = [];
  for (const key of await engine.zones())
    if ((project === undefined || key.project === project) && (key.isKept ?? (await isKept(engine, key))))
      kept.push(key);
  return kept.sort((left, right) => compare(left.project, right.project) || compare(left.zone, right.zone));
}

/** Records and copies alone are none: what they belonged to is gone. */
async function isKept(engine: Engine, key: ZoneKey): Promise<boolean> {
  const view = await engine.view(key);
  const isPart = ({ role }: EntryRole): boolean => role === "state" || role === "backup";
  if (view.entries.some((entry) => isPart(roleOf(entry)))) return true;
  const lines = engine.journal(key, view)[Symbol.asyncIterator]();
  if (!(await lines.next()).done) return true;
  return ((await engine.sightings?.bytes(key)) ?? 0) > 0;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
