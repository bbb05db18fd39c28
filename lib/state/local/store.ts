import type { ZoneId } from "../../core/brand.ts";
import type { FileSystem } from "../../core/file-system.ts";
import { StateError } from "../error.ts";
import { type Lease, type LockHolder, StoreConflict, type StoredState } from "../store.ts";
import { KEPT_BACKUPS } from "../kept-backups.ts";
import { backupSerials, readSerial } from "./backups.ts";
import { guard, guarded } from "./failure.ts";
import { journalLines } from "./journal-file.ts";
import { journalWriter } from "./journal-writer.ts";
import { keptRecords } from "./kept-records.ts";
import { makeLastingFolder } from "./lasting-folder.ts";
import { linesOf } from "./lines.ts";
import { observationFiles } from "./observation-files.ts";
import { type LocalStoreOptions, placeIn } from "./place.ts";
import { prepareSnapshot, putInPlace, snapshotVersion } from "./snapshot.ts";
import type { ProjectStore } from "../upkeep.ts";
import { upkeep } from "./upkeep.ts";
import { probeFolder, refuseReadOnly } from "./writable.ts";

/** While a snapshot is replaced, both the old and the new one exist; a journal may be as long again. */
const ROOM_FACTOR = 3;

/**
 * Keeps states as files: `<zone id>.state`, `.state.backup-<serial>` (earlier ones), `.journal`, `.kept-<name>`
 * (records beside it), `.observations-<n>` (observed hostnames), and the folder `.lock`. The first write makes the
 * folder, for this user alone. The disk should not follow symbolic links.
 */
export function localStore(fs: FileSystem, folder: string, options: LocalStoreOptions): ProjectStore {
  const place = placeIn(fs, folder, options);
  const { lockOf, pathsOf, temporaryOf } = place;
  const journals = journalWriter(place);
  /** Ours, the outer one first. */
  const folders = [...(options.root === undefined ? [] : [options.root]), folder];

  async function read(zone: ZoneId): Promise<StoredState | undefined> {
    const { state } = pathsOf(zone);
    await checkFolders(fs, folders);
    const version = await guard(state, "read", () => snapshotVersion(fs, state));
    return version === undefined
      ? undefined
      : { version, lines: guarded(state, linesOf(fs.stream(state), state, "keep")) };
  }

  async function write(
    zone: ZoneId,
    lease: Lease,
    expected: string | undefined,
    lines: AsyncIterable<string>,
  ): Promise<string> {
    const { state } = pathsOf(zone);
    await checkWriter(zone, lease, expected);
    const version = await guard(state, "written", async () => {
      await sweepTemporaries(fs, folder, zone);
      const backup = await nextBackup(zone);
      const prepared = await prepareSnapshot(fs, temporaryOf(zone), lines);
      // Checked once more, because a long state takes time to write; from here to the rename is only an instant.
      await lockOf(zone).check(lease);
      await putInPlace(fs, folder, prepared.temporary, state, backup);
      return prepared.version;
    });
    // Only once the new snapshot is durable: until then the journal was the only record.
    await journals.remove(zone, lease);
    return version;
  }

  /**
   * The path to keep the snapshot under that is about to be replaced; deletes the oldest one. Undefined if there is
   * none yet.
   */
  async function nextBackup(zone: ZoneId): Promise<string | undefined> {
    const { state, backup } = pathsOf(zone);
    const serial = await readSerial(fs, state);
    if (serial === undefined) return undefined;
    const others = (await backupSerials(fs, folder, zone)).filter((other) => other !== serial);
    for (const oldest of others.slice(KEPT_BACKUPS - 1)) await fs.remove(backup(oldest));
    return backup(serial);
  }

  async function checkWriter(zone: ZoneId, lease: Lease, expected: string | undefined): Promise<void> {
    const { state } = pathsOf(zone);
    await lockOf(zone).check(lease);
    await guard(state, "written", () => refuseReadOnly(fs, state));
    const current = await guard(state, "read", () => snapshotVersion(fs, state));
    if (current !== expected) throw new StoreConflict(`another process replaced ${state} after this run read it`);
  }

  async function* journalOf(journal: string): AsyncIterable<string> {
    await checkFolders(fs, folders);
    yield* guarded(journal, journalLines(fs, journal));
  }

  async function lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    await checkFolders(fs, folders);
    // Only before the first snapshot: if there is one, there is a folder.
    await guard(folder, "locked", async () => {
      if (await fs.stat(pathsOf(zone).state)) return;
      for (const each of folders) await makeLastingFolder(fs, each);
    });
    const lease = await lockOf(zone).acquire(holder, waitMilliseconds, signal);
    try {
      await journals.takeOver(zone, lease);
    } catch (error) {
      await lease.release().catch(() => undefined);
      throw error;
    }
    return lease;
  }

  return {
    ...keptRecords(place),
    ...observationFiles(place),
    ...upkeep(place),
    read,
    write,
    append: (zone, lease, lines) => journals.append(zone, lease, lines),
    checkHeld: (zone, lease) => lockOf(zone).check(lease),
    journal: (zone) => journalOf(pathsOf(zone).journal),
    holding: (zone) => lockOf(zone).holding(),
    taken: async (zone) => {
      await checkFolders(fs, folders);
      return lockOf(zone).taken();
    },
    lock,
    unlock: (zone, id) => lockOf(zone).unlock(id),
    checkWritable: async (zone, expectedBytes) => {
      const { state } = pathsOf(zone);
      await checkFolders(fs, folders);
      await guard(folder, "written", async () => {
        await fs.makeDirectory(folder, 0o700);
        await probeFolder(fs, folder, state, temporaryOf(zone), ROOM_FACTOR * expectedBytes);
      });
    },
    describe: (zone, part = "state") => pathsOf(zone)[part],
  };
}

async function checkFolders(fs: FileSystem, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await checkFolder(fs, folder);
}

/** A link in place of the folder would lead the state out of the project. */
async function checkFolder(fs: FileSystem, folder: string): Promise<void> {
  const found = await guard(folder, "read", () => fs.stat(folder));
  if (!found || found.kind === "directory") return;
  throw new StateError({
    code: "state-disk",
    message: "the state cannot be stored: its folder is a symbolic link or a file",
    remedy: "replace it with a folder, or use another path",
    at: { file: folder, line: 1, column: 1 },
  });
}

/** Deletes temporary files of dead runs. Only the holder of the lock does this, so none of them is in use. */
async function sweepTemporaries(fs: FileSystem, folder: string, zone: ZoneId): Promise<void> {
  const start = `${zone}.temporary-`;
  for (const { name } of await fs.list(folder)) {
    if (name.startsWith(start)) await fs.remove(`${folder}/${name}`);
  }
}
