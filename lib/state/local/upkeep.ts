import type { ZoneId } from "../../core/brand.ts";
import type { Lease } from "../store.ts";
import type { Upkeep } from "../upkeep.ts";
import { copyName, isCopyName } from "../copy-name.ts";
import { backupSerials } from "./backups.ts";
import { guard, guarded } from "./failure.ts";
import { listFiles, openToOthers, zonesIn } from "./files.ts";
import { replaceFile } from "./kept-records.ts";
import { linesOf } from "./lines.ts";
import { looseLines } from "./loose-lines.ts";
import { noBackup } from "../no-backup.ts";
import type { Place } from "./place.ts";
import { keepBackup } from "./snapshot.ts";
import { readTail } from "./tail.ts";

/** The upkeep of the states in a folder. */
export function upkeep(place: Place): Upkeep {
  const { clock, fs, folder, lockOf, pathsOf, root, temporaryOf } = place;

  async function setAside(
    zone: ZoneId,
    lease: Lease,
    part: "state" | "journal",
    why: "damaged" | "removed" = "damaged",
  ): Promise<string> {
    const path = pathsOf(zone)[part];
    const name = copyName(part, why, clock.now());
    await lockOf(zone).check(lease);
    await guard(path, "kept", async () => {
      await keepBackup(fs, path, temporaryOf(zone), pathsOf(zone).copy(name));
      await fs.syncDirectory(folder);
    });
    return name;
  }

  async function copy(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined> {
    const path = pathsOf(zone).copy(name);
    const isThere = isCopyName(name) && (await guard(path, "read", () => fs.stat(path))) !== undefined;
    return isThere ? guarded(path, looseLines(fs, path)) : undefined;
  }

  async function discardCopy(zone: ZoneId, lease: Lease, name: string): Promise<void> {
    await lockOf(zone).check(lease);
    if ((await copy(zone, name)) === undefined) return;
    await guard(folder, "removed", async () => {
      await fs.remove(pathsOf(zone).copy(name));
      await fs.syncDirectory(folder);
    });
  }

  async function retire(zone: ZoneId, lease: Lease): Promise<readonly string[]> {
    const found = await listFiles(fs, folder, zone);
    const copies: string[] = [];
    for (const part of ["state", "journal"] as const)
      if (found.some(({ role }) => role === part)) copies.push(await setAside(zone, lease, part, "removed"));
    await lockOf(zone).check(lease);
    await guard(folder, "removed", async () => {
      // What depends on the state is deleted before it, and the journal after it: any of them alone would look like a
      // loss.
      for (const roles of [["record", "observations", "backup", "temporary"], ["state"], ["journal"]]) {
        for (const { path, role } of found) if (roles.includes(role)) await fs.remove(path);
        await fs.syncDirectory(folder);
      }
    });
    await lockOf(zone).forgetSerial(lease);
    return copies;
  }

  const backups = (zone: ZoneId): Promise<readonly number[]> =>
    guard(folder, "read", () => backupSerials(fs, folder, zone));

  async function* backup(zone: ZoneId, serial: number): AsyncIterable<string> {
    const { state, backup: pathOf } = pathsOf(zone);
    if (!(await backups(zone)).includes(serial)) throw noBackup(state, serial);
    yield* guarded(pathOf(serial), linesOf(fs.stream(pathOf(serial)), pathOf(serial), "keep"));
  }

  return {
    isInFiles: true,
    warnings: async (zone) =>
      openToOthers(fs, [...(root === undefined ? [] : [root]), folder], await listFiles(fs, folder, zone)),
    files: (zone) => guard(folder, "read", () => listFiles(fs, folder, zone)),
    backups,
    backup,
    addBackup: async (zone, lease, serial, lines) => {
      await lockOf(zone).check(lease);
      await replaceFile(place, zone, lease, pathsOf(zone).backup(serial), lines);
    },
    opened: (_zone, lines) => lines,
    looseLines: (zone, part) => guarded(pathsOf(zone)[part], looseLines(fs, pathsOf(zone)[part])),
    journalTail: (zone) => guard(pathsOf(zone).journal, "read", () => readTail(fs, pathsOf(zone).journal)),
    sealOf: async () => "none",
    setAside: (zone, lease, part) => setAside(zone, lease, part),
    copy,
    discardCopy,
    zones: () => guard(folder, "read", () => zonesIn(fs, folder)),
    retire,
    rewriteJournal: async (zone, lease, lines) => {
      await lockOf(zone).check(lease);
      await replaceFile(place, zone, lease, pathsOf(zone).journal, lines);
    },
  };
}
