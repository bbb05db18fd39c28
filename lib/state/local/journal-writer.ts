import type { ZoneId } from "../../core/brand.ts";
import type { WritableFile } from "../../core/file-system.ts";
import type { Lease } from "../store.ts";
import { guard } from "./failure.ts";
import { readyJournal, renewJournal } from "./journal-file.ts";
import type { Place } from "./place.ts";

/** Writes the journals of a folder. */
export interface JournalWriter {
  /** Appends lines; returns once they would survive a power cut and the lock is still held. Throws `StoreConflict`. */
  append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void>;
  /** Replaces a journal that another run left by a copy, so that what that run still writes is lost. */
  takeOver(zone: ZoneId, lease: Lease): Promise<void>;
  /**
   * Deletes the journal, because the snapshot contains it. It keeps it if another process has the lock now, because the
   * journal may be theirs.
   */
  remove(zone: ZoneId, lease: Lease): Promise<void>;
}

/**
 * A process can be stopped at any moment, even between its lock check and its write, and wake up after a person freed
 * the lock and another run continued. So it opens the file before that check, and whoever takes the lock over replaces
 * the file: a late write reaches a file that no longer has a name. The check after the flush stops the late run.
 */
export function journalWriter(place: Place): JournalWriter {
  const { fs, folder, lockOf, pathsOf, temporaryOf } = place;
  /** Journals that end with a complete line. */
  const ready = new Set<ZoneId>();

  async function append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void> {
    const { journal } = pathsOf(zone);
    const file = await open(zone, lease);
    // It is ready again only after a complete write: whatever a failed write left at the end is cut off before the
    // next.
    ready.delete(zone);
    try {
      await lockOf(zone).check(lease);
      await guard(journal, "written", async () => {
        await file.write(lines.map((line) => `${line}\n`).join(""));
        await file.sync();
      });
    } finally {
      await file.close();
    }
    await lockOf(zone).check(lease);
    ready.add(zone);
  }

  async function open(zone: ZoneId, lease: Lease): Promise<WritableFile> {
    const { journal } = pathsOf(zone);
    // A run that lost its lock must not make a journal.
    if (!ready.has(zone)) await lockOf(zone).check(lease);
    try {
      return await guard(journal, "written", async () => {
        if (!ready.has(zone)) await readyJournal(fs, folder, journal, temporaryOf(zone));
        return fs.append(journal);
      });
    } catch (error) {
      // If the lock is lost, its new holder removed the journal.
      await lockOf(zone).check(lease);
      throw error;
    }
  }

  async function remove(zone: ZoneId, lease: Lease): Promise<void> {
    const { journal } = pathsOf(zone);
    ready.delete(zone);
    if (!(await lockOf(zone).isHeld(lease))) return;
    await guard(journal, "written", async () => {
      await fs.remove(journal);
      await fs.syncDirectory(folder);
    });
  }

  return {
    append,
    remove,
    takeOver: (zone, lease) => {
      const { journal } = pathsOf(zone);
      const checkLock = (): Promise<void> => lockOf(zone).check(lease);
      ready.delete(zone);
      return guard(journal, "written", () => renewJournal(fs, folder, journal, temporaryOf(zone), checkLock));
    },
  };
}
