import type { ZoneId } from "../../core/brand.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { checkRecordName } from "../record-name.ts";
import type { Lease, StateStore } from "../store.ts";
import { guard, guarded } from "./failure.ts";
import { linesOf, type Subject } from "./lines.ts";
import type { Place } from "./place.ts";
import { prepareSnapshot, putInPlace } from "./snapshot.ts";

const RECORD: Subject = {
  name: "the record",
  damage: "record-damaged",
  remedy: "delete the file; the state does not depend on it, and only a record of an earlier run is lost",
};

/** The records beside the states of a folder: `<zone id>.kept-<name>`. */
export function keptRecords(place: Place): Pick<StateStore, "keep" | "kept" | "names" | "discard"> {
  const { fs, folder, lockOf, pathsOf } = place;

  async function keep(zone: ZoneId, lease: Lease, name: string, lines: AsyncIterable<string>): Promise<void> {
    checkRecordName(name);
    await lockOf(zone).check(lease);
    await replaceFile(place, zone, lease, pathsOf(zone).kept(name), lines);
  }

  async function kept(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined> {
    checkRecordName(name);
    const path = pathsOf(zone).kept(name);
    const found = await guard(path, "read", () => fs.stat(path));
    return found && guarded(path, linesOf(fs.stream(path), path, "keep", RECORD));
  }

  async function discard(zone: ZoneId, lease: Lease, name: string): Promise<void> {
    checkRecordName(name);
    const path = pathsOf(zone).kept(name);
    await lockOf(zone).check(lease);
    await guard(path, "removed", () => fs.remove(path));
  }

  return { keep, kept, discard, names: (zone) => guard(folder, "read", () => namesIn(fs, folder, `${zone}.kept-`)) };
}

/**
 * Writes a complete file beside its place, checks the lock once more, and renames it: a crash leaves the old file or
 * the new one.
 */
export async function replaceFile(
  { fs, folder, lockOf, temporaryOf }: Place,
  zone: ZoneId,
  lease: Lease,
  path: string,
  lines: AsyncIterable<string>,
): Promise<void> {
  await guard(path, "written", async () => {
    const { temporary } = await prepareSnapshot(fs, temporaryOf(zone), lines);
    // A long file takes time to write; meanwhile another process may have got the lock.
    await lockOf(zone).check(lease);
    await putInPlace(fs, folder, temporary, path);
  });
}

/** The rest of the file names that begin with `start`, in order; empty if there is no folder. */
async function namesIn(fs: FileSystem, folder: string, start: string): Promise<readonly string[]> {
  try {
    const found = await fs.list(folder);
    return found.flatMap(({ name }) => (name.startsWith(start) ? [name.slice(start.length)] : [])).sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
