import type { ZoneId } from "../../core/brand.ts";
import type { WritableFile } from "../../core/file-system.ts";
import type { Lease } from "../store.ts";
import { guard } from "./failure.ts";
import { readyJournal, renewJournal } from "./journal-file.ts";
import type { Place } from "./place.ts";

/** Writes the journals of a folder. */
export interface JournalWriter {
  /** Adds lines; returns once they would survive a power cut and the lock is still held. Throws `StoreConflict`. */
  append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void>;
  /** Puts a copy in the place of a journal that another run left, so that what that run still writes goes nowhere. */
  takeOver(zone: ZoneId, lease: Lease): Promise<void>;
  /** Removes the journal: the snapshot holds it. It stays where somebody else has the lock by now, because it may be theirs. */
  remove(zone: ZoneId, lease: Lease): Promise<void>;
  /** Closes the journal's file, if it is open. */
  close(zone: ZoneId): Promise<void>;
}

interface OpenFile {
  readonly fence: number;
  readonly file: WritableFile;
}

/**
 * A process can be stopped at any moment, between its look at the lock and its write too, and wake up after a person freed
 * the lock and another run went on. So the file is opened before that look, and whoever takes the lock over replaces the
 * file: a late write reaches a file that has no name any more. The look after the flush stops the late run.
 */
export function journalWriter(place: Place): JournalWriter {
  const { fs, folder, lockOf, pathsOf, temporaryOf } = place;
  const open = new Map<ZoneId, OpenFile>();

  async function append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void> {
    const { journal } = pathsOf(zone);
    const { file } = await fileFor(zone, lease);
    try {
      await lockOf(zone).check(lease);
      await guard(journal, "written", async () => {
        await file.write(lines.map((line) => `${line}\n`).join(""));
        await file.sync();
      });
      await lockOf(zone).check(lease);
    } catch (error) {
      // What a failed write left at the end is cut off when the file is opened again.
      await close(zone);
      throw error;
    }
  }

  async function fileFor(zone: ZoneId, lease: Lease): Promise<OpenFile> {
    const { journal } = pathsOf(zone);
    const found = open.get(zone);
    if (found?.fence === lease.fence) return found;
    await close(zone);
    // A run that lost its lock makes no journal.
    await lockOf(zone).check(lease);
    try {
      const file = await guard(journal, "written", async () => {
        await readyJournal(fs, folder, journal, temporaryOf(zone));
        return fs.append(journal);
      });
      open.set(zone, { fence: lease.fence, file });
      return { fence: lease.fence, file };
    } catch (error) {
      // Where the lock is lost, whoever has it removed the journal.
      await lockOf(zone).check(lease);
      throw error;
    }
  }

  async function close(zone: ZoneId): Promise<void> {
    const found = open.get(zone);
    open.delete(zone);
    await found?.file.close();
  }

  return {
    append,
    close,
    takeOver: (zone, lease) =>
      guard(pathsOf(zone).journal, "written", () =>
        renewJournal(fs, folder, pathsOf(zone).journal, temporaryOf(zone), () => lockOf(zone).check(lease)),
      ),
    remove: async (zone, lease) => {
      await close(zone);
      if (!(await lockOf(zone).isHeld(lease))) return;
      await guard(pathsOf(zone).journal, "written", async () => {
        await fs.remove(pathsOf(zone).journal);
        await fs.syncDirectory(folder);
      });
    },
  };
}
