import type { ZoneId } from "../../core/brand.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Lease, StateStore } from "../store.ts";
import { backupSerials } from "./backups.ts";
import { guard, guarded } from "./failure.ts";
import { listFiles, openToOthers, type StateFile, zonesIn } from "./files.ts";
import { replaceFile } from "./kept-records.ts";
import { linesOf } from "./lines.ts";
import { looseLines } from "./loose-lines.ts";
import type { Place } from "./place.ts";
import { keepBackup } from "./snapshot.ts";
import { readTail } from "./tail.ts";

/** How it is with encrypted lines: there are none; there are, and not one opens; there are, and at least one opens. */
export type Seal = "none" | "closed" | "open";

/** What a person needs of a store in which something is wrong: `state doctor` and `state repair`. */
export interface Upkeep extends Pick<StateStore, "backups" | "zones"> {
  /** What is unsafe about how a state is kept: others may read it. */
  warnings(zone: ZoneId): Promise<readonly Diagnostic[]>;
  /** Every file that bears the zone's id. */
  files(zone: ZoneId): Promise<readonly StateFile[]>;
  /** The lines of an earlier snapshot. Throws `StateError` where it is not to be read. */
  backup(zone: ZoneId, serial: number): AsyncIterable<string>;
  /** The lines of a state from elsewhere, `where` for messages, as they are inside: a copy may be encrypted as the stored one is. */
  opened(zone: ZoneId, lines: AsyncIterable<string>, where: string): AsyncIterable<string>;
  /** The whole lines of the state or the journal, whatever they hold: what is not text is replaced. None where there is no file. */
  looseLines(zone: ZoneId, part: "state" | "journal"): AsyncIterable<string>;
  /** What stands behind the last line end of the journal; empty where nothing does. */
  journalTail(zone: ZoneId): Promise<string>;
  /** Whether there are encrypted lines in the state or the journal, and whether any opens: what opens nowhere may be whole. */
  sealOf(zone: ZoneId, part: "state" | "journal"): Promise<Seal>;
  /** Keeps what stands in the place of the state or the journal under another name as well, as it is; gives that name. */
  setAside(zone: ZoneId, lease: Lease, part: "state" | "journal"): Promise<string>;
  /**
   * Removes all that is kept of a zone but its lock, once the state and the journal are kept under other names, which it
   * gives. Where it breaks off, what is left is a state that can be read, or none; done again, it ends.
   */
  retire(zone: ZoneId, lease: Lease): Promise<readonly string[]>;
  /** Puts other lines in the place of the journal, whole and for good. The old ones should have been set aside. */
  rewriteJournal(zone: ZoneId, lease: Lease, lines: AsyncIterable<string>): Promise<void>;
}

/** The upkeep of the states of a folder. */
export function upkeep(place: Place): Upkeep {
  const { clock, fs, folder, lockOf, pathsOf, temporaryOf } = place;

  async function setAside(
    zone: ZoneId,
    lease: Lease,
    part: "state" | "journal",
    why: "damaged" | "removed" = "damaged",
  ): Promise<string> {
    const path = pathsOf(zone)[part];
    const moment = new Date(clock.now()).toISOString().replace(/[-:]/g, "");
    const copy = `${path}.${why}-${moment}`;
    await lockOf(zone).check(lease);
    await guard(path, "kept", async () => {
      await keepBackup(fs, path, temporaryOf(zone), copy);
      await fs.syncDirectory(folder);
    });
    return copy;
  }

  async function retire(zone: ZoneId, lease: Lease): Promise<readonly string[]> {
    const found = await listFiles(fs, folder, zone);
    const copies: string[] = [];
    for (const part of ["state", "journal"] as const)
      if (found.some(({ role }) => role === part)) copies.push(await setAside(zone, lease, part, "removed"));
    await lockOf(zone).check(lease);
    await guard(folder, "removed", async () => {
      // What rests on the state goes before it, and the journal after it: alone, each of them would be taken for a loss.
      for (const roles of [["record", "observations", "backup", "temporary"], ["state"], ["journal"]]) {
        for (const { path, role } of found) if (roles.includes(role)) await fs.remove(path);
        await fs.syncDirectory(folder);
      }
    });
    return copies;
  }

  return {
    warnings: async (zone) => openToOthers(fs, folder, await listFiles(fs, folder, zone)),
    files: (zone) => guard(folder, "read", () => listFiles(fs, folder, zone)),
    backups: (zone) => guard(folder, "read", () => backupSerials(fs, folder, zone)),
    backup: (zone, serial) => {
      const path = pathsOf(zone).backup(serial);
      return guarded(path, linesOf(fs.stream(path), path, "keep"));
    },
    opened: (_zone, lines) => lines,
    looseLines: (zone, part) => guarded(pathsOf(zone)[part], looseLines(fs, pathsOf(zone)[part])),
    journalTail: (zone) => guard(pathsOf(zone).journal, "read", () => readTail(fs, pathsOf(zone).journal)),
    sealOf: async () => "none",
    setAside: (zone, lease, part) => setAside(zone, lease, part),
    zones: () => guard(folder, "read", () => zonesIn(fs, folder)),
    retire,
    rewriteJournal: async (zone, lease, lines) => {
      await lockOf(zone).check(lease);
      await replaceFile(place, zone, lease, pathsOf(zone).journal, lines);
    },
  };
}
