import type { ZoneId } from "../../core/brand.ts";
import type { Clock, Random } from "../../core/clock.ts";
import { type Diagnostic, warning } from "../../core/diagnostic.ts";
import type { FileSystem } from "../../core/file-system.ts";
import { StateError } from "../error.ts";
import { type Lease, StoreConflict, type StateStore, type StoredState } from "../store.ts";
import { asStateError, guard } from "./failure.ts";
import type { Identity } from "./identity.ts";
import { addLines, journalLines, readyJournal } from "./journal-file.ts";
import { linesOf } from "./lines.ts";
import { generationLock, type Lock } from "./lock.ts";
import { prepareSnapshot, putInPlace, snapshotVersion } from "./snapshot.ts";
import { probeFolder, refuseReadOnly } from "./writable.ts";

/** While a snapshot is replaced, the old and the new one are there at once; a journal may be as long again. */
const ROOM_FACTOR = 3;

/** What the local store needs besides the disk. */
export interface LocalStoreOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly random: Random;
}

/** States in a folder of this machine. */
export interface LocalStore extends StateStore {
  /** What is unsafe about how a state is kept: others may read it. */
  warnings(zone: ZoneId): Promise<readonly Diagnostic[]>;
}

/**
 * Keeps states as files: `<zone id>.state`, `.state.backup` (the one before), `.journal`, and the folder `.lock`.
 * The folder is made with the first write, for this user alone. The disk should be one that follows no symbolic links.
 */
export function localStore(fs: FileSystem, folder: string, options: LocalStoreOptions): LocalStore {
  const pathsOf = (zone: ZoneId): Paths => paths(folder, zone);
  const readyJournals = new Set<string>();

  function lockOf(zone: ZoneId): Lock {
    return generationLock({ fs, ...options }, pathsOf(zone).lock, `the state of zone ${zone}`);
  }

  async function read(zone: ZoneId): Promise<StoredState | undefined> {
    const { state } = pathsOf(zone);
    await checkFolder(fs, folder);
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
    const { state, backup, journal, temporary } = pathsOf(zone);
    await checkWriter(zone, lease, expected);
    const version = await guard(state, "written", async () => {
      await sweepTemporaries(fs, folder, zone);
      const prepared = await prepareSnapshot(fs, temporary(options.random.uuid()), lines);
      // Once more, because a long state takes long to write; from here to the rename it is an instant.
      await lockOf(zone).check(lease);
      await putInPlace(fs, folder, prepared.temporary, state, backup);
      return prepared.version;
    });
    await guard(journal, "written", () => removeJournal(journal));
    return version;
  }

  /** Only after the new snapshot is there for good: before that the journal is all that is known. */
  async function removeJournal(journal: string): Promise<void> {
    readyJournals.delete(journal);
    await fs.remove(journal);
    await fs.syncDirectory(folder);
  }

  async function checkWriter(zone: ZoneId, lease: Lease, expected: string | undefined): Promise<void> {
    const { state } = pathsOf(zone);
    await lockOf(zone).check(lease);
    await guard(state, "written", () => refuseReadOnly(fs, state));
    const current = await guard(state, "read", () => snapshotVersion(fs, state));
    if (current !== expected) throw new StoreConflict(`${state} was replaced by somebody else since it was read`);
  }

  async function* journalOf(journal: string): AsyncIterable<string> {
    await checkFolder(fs, folder);
    yield* guarded(journal, journalLines(fs, journal));
  }

  async function append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void> {
    const { journal, temporary } = pathsOf(zone);
    await lockOf(zone).check(lease);
    await guard(journal, "written", async () => {
      if (!readyJournals.has(journal)) await readyJournal(fs, folder, journal, temporary(options.random.uuid()));
      // Ready again only after a whole write: what a failed one left at the end is cut off before the next.
      readyJournals.delete(journal);
      await addLines(fs, journal, lines);
      readyJournals.add(journal);
    });
  }

  return {
    read,
    write,
    append,
    journal: (zone) => journalOf(pathsOf(zone).journal),
    lock: async (zone, holder, waitMilliseconds, signal) => {
      await checkFolder(fs, folder);
      return lockOf(zone).acquire(holder, waitMilliseconds, signal);
    },
    unlock: (zone, id) => lockOf(zone).unlock(id),
    checkWritable: async (zone, expectedBytes) => {
      const { state, temporary } = pathsOf(zone);
      await checkFolder(fs, folder);
      await guard(folder, "written", async () => {
        await fs.makeDirectory(folder, 0o700);
        await probeFolder(fs, folder, state, temporary(options.random.uuid()), ROOM_FACTOR * expectedBytes);
      });
    },
    warnings: async (zone) => openToOthers(fs, [folder, pathsOf(zone).state, pathsOf(zone).journal]),
    describe: (zone, part = "state") => pathsOf(zone)[part],
  };
}

interface Paths {
  readonly state: string;
  readonly backup: string;
  readonly journal: string;
  readonly lock: string;
  readonly temporary: (unique: string) => string;
}

function paths(folder: string, zone: ZoneId): Paths {
  const base = `${folder}/${zone}`;
  return {
    state: `${base}.state`,
    backup: `${base}.state.backup`,
    journal: `${base}.journal`,
    lock: `${base}.lock`,
    temporary: (unique) => `${base}.temporary-${unique}`,
  };
}

/** A link in the place of the folder would lead the state out of the project. */
async function checkFolder(fs: FileSystem, folder: string): Promise<void> {
  const found = await guard(folder, "read", () => fs.stat(folder));
  if (!found || found.kind === "directory") return;
  throw new StateError({
    code: "state-disk",
    message: "the state cannot be kept: its folder is a symbolic link or a file",
    remedy: "remove it, or name the folder itself",
    at: { file: folder, line: 1, column: 1 },
  });
}

/** What dead runs left; only the holder of the lock does this, so none of them is in use. */
async function sweepTemporaries(fs: FileSystem, folder: string, zone: ZoneId): Promise<void> {
  const start = `${zone}.temporary-`;
  for (const { name } of await fs.list(folder)) {
    if (name.startsWith(start)) await fs.remove(`${folder}/${name}`);
  }
}

async function* guarded(path: string, lines: AsyncIterable<string>): AsyncIterable<string> {
  try {
    yield* lines;
  } catch (error) {
    throw asStateError(error, path, "read");
  }
}

async function openToOthers(fs: FileSystem, paths: readonly string[]): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const path of paths) {
    const stat = await fs.stat(path);
    if (!stat || (stat.mode & 0o077) === 0) continue;
    const message = `${path} may be read or changed by other users of this machine`;
    found.push(warning({ code: "state-open-to-others", message, remedy: `chmod go= ${path}` }));
  }
  return found;
}
