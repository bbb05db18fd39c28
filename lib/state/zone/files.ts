import { type Engine, type Entry, JOURNAL, type ZoneKey } from "../engine.ts";
import type { Role, StateFile } from "../upkeep.ts";
import { backupSerials, roleOf } from "./names.ts";

/** In this order they are listed. */
const ORDER: readonly Role[] = ["state", "journal", "backup", "record", "set-aside", "observations"];

/** Everything that is kept of a zone, as files are listed. */
export async function zoneFiles(engine: Engine, key: ZoneKey): Promise<readonly StateFile[]> {
  const view = await engine.view(key);
  const file = (role: Role, name: string, sizeBytes: number): StateFile => ({
    role,
    path: engine.describe(key, name),
    sizeBytes,
    mode: 0o600,
  });
  const ofEntry = (entry: Entry): StateFile => {
    const { role } = roleOf(entry);
    const copy = role === "set-aside" ? { copy: entry.name } : {};
    return { ...file(role, entry.name, entry.bytes), ...copy };
  };
  let journal = 0;
  for await (const line of engine.journal(key, view)) journal += Buffer.byteLength(line) + 1;
  const seen = (await engine.sightings?.bytes(key)) ?? 0;
  const serials = backupSerials(view.entries);
  const rank = ({ role }: StateFile): number => ORDER.indexOf(role);
  const age = (entry: Entry): number => {
    const found = roleOf(entry);
    return found.role === "backup" ? serials.indexOf(found.serial) : 0;
  };
  return [
    ...view.entries.toSorted((left, right) => age(left) - age(right)).map(ofEntry),
    ...(journal > 0 ? [file("journal", JOURNAL, journal)] : []),
    ...(seen > 0 ? [file("observations", "observations", seen)] : []),
  ].sort((left, right) => rank(left) - rank(right));
}
