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

/** The state of encrypted lines: there are none (`none`), none of them opens (`closed`), or at least one opens (`open`). */
export type Seal = "none" | "closed" | "open";

/** What `state doctor` and `state repair` need of a store. */
export interface Upkeep extends Pick<StateStore, "backups" | "zones"> {
  /** What is unsafe about how a state is kept: other users can read it. */
  warnings(zone: ZoneId): Promise<readonly Diagnostic[]>;
  /** Every file with the zone's id in its name. */
  files(zone: ZoneId): Promise<readonly StateFile[]>;
  /** The lines of an earlier snapshot. Throws `StateError` if it cannot be read. */
  backup(zone: ZoneId, serial: number): AsyncIterable<string>;
  /** The decrypted lines of a state from elsewhere, `where` for messages: a copy may be encrypted like the stored one. */
  opened(zone: ZoneId, lines: AsyncIterable<string>, where: string): AsyncIterable<string>;
  /**
   * The complete lines of the state or the journal, whatever they hold; bytes that are not text are replaced. None if
   * there is no file.
   */
  looseLines(zone: ZoneId, part: "state" | "journal"): AsyncIterable<string>;
  /** The text after the journal's last line end; empty if there is none. */
  journalTail(zone: ZoneId): Promise<string>;
  /** Whether the state or the journal has encrypted lines, and whether any opens: lines that do not open may be undamaged. */
  sealOf(zone: ZoneId, part: "state" | "journal"): Promise<Seal>;
  /** Keeps a copy of the state or the journal, exactly as it is, under another name; returns that name. */
  setAside(zone: ZoneId, lease: Lease, part: "state" | "journal"): Promise<string>;
  /**
   * Deletes everything that is kept for a zone except its lock, after it copied the state and the journal to other
   * names, which it returns. If it is interrupted, a readable state is left, or none; calling it again completes it.
   */
  retire(zone: ZoneId, lease: Lease): Promise<readonly string[]>;
  /** Replaces the lines of the journal, completely and durably. Set the old ones aside first. */
  rewriteJournal(zone: ZoneId, lease: Lease, lines: AsyncIterable<string>): Promise<void>;
}

/** The upkeep of the states in a folder. */
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
      // What depends on the state is deleted before it, and the journal after it: any of them alone would look like a
      // loss.
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
