import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import {
  type Engine,
  JOURNAL,
  type ListedZone,
  type Shared,
  STATE,
  type TakenLock,
  type ZoneKey,
} from "../../engine.ts";
import { Locked, type LockHolder } from "../../lock.ts";
import { append, commit, takeOverJournal } from "./commit.ts";
import { guard } from "./failure.ts";
import {
  checkFolders,
  filesOf,
  journalPath,
  listIfThere,
  type LocalOptions,
  openToOthers,
  type Place,
  projectOf,
  TEMPORARY,
  zoneIn,
  type ZonePlace,
  zonesIn,
} from "./place.ts";
import { addSightings, bytesSeen, condenseSightings, linesSeen } from "./sightings.ts";
import { bodyOf, journalOf, looseLinesOf, tailOf, viewOf } from "./view.ts";
import { asHolder, GenerationLock } from "./lock.ts";
import { makeLastingFolder, prepareFile, probeFolder, putInPlace } from "./whole-file.ts";
import { type StateStores, zoneStores } from "../../stores.ts";
import { problem } from "../../../core/diagnostic.ts";
import { streamed } from "../../../core/lists.ts";
import { StateError } from "../../error.ts";

/** The states of projects in a folder. The parameters are those of `folderEngine`. */
export function localStores(fs: FileSystem, root: string, options: LocalOptions): StateStores {
  return zoneStores(folderEngine(fs, root, options), options);
}

/**
 * States as files in a folder that has a folder for each project. An entry is `<zone id>.<name>`; beside it are
 * `.journal-<n>`, `.observations-<n>` and the folder `.lock`. The first write makes the folders, readable by this user
 * only.
 */
function folderEngine(fs: FileSystem, root: string, options: LocalOptions): Engine {
  const place: Place = { ...options, fs, root, entries: new Map(), ready: new Set() };
  const at = (key: ZoneKey): ZonePlace => zoneIn(place, key);
  return {
    zones: () => guard(root, "read", () => allZones(place)),
    view: (key) => viewOf(at(key)),
    body: (key, entry) => bodyOf(at(key), entry),
    journal: (key, view) => journalOf(at(key), view),
    commit: (key, lease, changes) => asHolder(at(key).lock, lease, () => commit(at(key), lease, changes)),
    append: (key, lease, lines) => (lines.length === 0 ? at(key).lock.check(lease) : append(at(key), lease, lines)),
    lock: (key, holder, waitMilliseconds, signal) => lock(at(key), holder, waitMilliseconds, signal),
    holding: (key) => at(key).lock.holding(),
    unlock: (key, id) => at(key).lock.unlock(id),
    sightings: {
      lines: (key) => linesSeen(at(key)),
      bytes: (key) => bytesSeen(at(key)),
      add: (key, lines) => addSightings(at(key), lines),
      condense: (key, keep) => condenseSightings(at(key), keep),
    },
    shared: (name) => sharedFile(place, name),
    check: (key, bytes) => check(at(key), bytes),
    files: {
      list: (key) => guard(at(key).folder, "read", () => filesOf(at(key))),
      warnings: (key) => openToOthers(at(key)),
      looseLines: (key, part) => looseLinesOf(at(key), part),
      tail: (key) => tailOf(at(key)),
    },
    describe: (key, name = STATE) => {
      if (!key) return root;
      return name === JOURNAL ? journalPath(at(key)) : at(key).pathOf(name);
    },
    close: async () => undefined,
  };
}

async function allZones({ fs, root }: Place): Promise<readonly ListedZone[]> {
  const found: ListedZone[] = [];
  for (const { name, kind } of await listIfThere(fs, root)) {
    const project = kind === "directory" ? projectOf(name) : undefined;
    if (project === undefined) continue;
    found.push(...(await zonesIn(fs, `${root}/${name}`, project)));
  }
  return found;
}

async function lock(
  at: ZonePlace,
  holder: Omit<LockHolder, "id">,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<TakenLock> {
  const { fs, folder, folders, pathOf } = at;
  await checkFolders(at);
  // Only needed before the first state: afterwards the folder exists.
  await guard(folder, "locked", async () => {
    if (await fs.stat(pathOf(STATE))) return;
    for (const each of folders) await makeLastingFolder(fs, each);
  });
  const lease = await at.lock.acquire(holder, waitMilliseconds, signal);
  try {
    await asHolder(at.lock, lease, () => takeOverJournal(at, lease));
    return { lease, view: await viewOf(at) };
  } catch (error) {
    await lease.release().catch(() => undefined);
    throw error;
  }
}

/** While a state is replaced, both the old and the new one exist; a journal may be as long again. */
const ROOM_FACTOR = 3;

async function check(at: ZonePlace, bytes: number): Promise<void> {
  const { fs, folder, pathOf, temporary } = at;
  await checkFolders(at);
  await guard(folder, "written", async () => {
    await fs.makeDirectory(folder, 0o700);
    await probeFolder(fs, folder, pathOf(STATE), temporary(), ROOM_FACTOR * bytes);
  });
}

/** A thousand projects with fifty zones each need less for their claims. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The holder of the lock writes only one small file. */
const LONGEST_WAIT_MILLISECONDS = 30_000;

/**
 * A text of all projects, in `_<name>/<name>`, which no project's folder is called. It has its own lock, because two
 * projects hold different locks for one zone. The file is replaced as a whole: a reader needs no lock, and a crash
 * leaves the old text or the new one.
 */
function sharedFile(place: Place, name: string): Shared {
  const { fs, root, identity, clock, random } = place;
  const folder = `${root}/_${name}`;
  const path = `${folder}/${name}`;
  const subject = `the file with the ${name} of the projects`;
  const lock = new GenerationLock(place, `${folder}/lock`, subject);

  async function read(): Promise<string | undefined> {
    try {
      return Buffer.from(await fs.read(path, MOST_BYTES)).toString("utf8");
    } catch (thrown) {
      // If a file stands in place of a folder, there is no text; reading or writing the state reports the file.
      if (errorCode(thrown) === "ENOENT" || errorCode(thrown) === "ENOTDIR") return undefined;
      throw thrown;
    }
  }

  async function write(text: string, check: () => Promise<void>): Promise<void> {
    // A process that died with the lock may have left a temporary file.
    for (const found of await listIfThere(fs, folder))
      if (found.name.startsWith(TEMPORARY)) await fs.remove(`${folder}/${found.name}`);
    const temporary = await prepareFile(fs, `${folder}/${TEMPORARY}${random.uuid()}`, streamed([text]));
    await check();
    await putInPlace(fs, folder, temporary, path);
  }

  function asStateError(thrown: unknown): never {
    if (!(thrown instanceof Locked)) throw thrown;
    const remedy = `apply again; if the process that holds this lock is gone, delete ${folder}/lock`;
    throw new StateError(problem("claims-locked", { what: subject, lock: thrown.message }, { remedy }), {
      cause: thrown,
    });
  }

  return {
    get: async () => {
      const text = await guard(path, "read", read, subject);
      return { text, tag: text, now: clock.now() };
    },
    replace: async (tag, text, signal) => {
      const since = new Date(clock.now()).toISOString();
      const holder = { who: identity.host, processId: identity.pid, operation: name, since };
      const lease = await lock.acquire(holder, LONGEST_WAIT_MILLISECONDS, signal).catch(asStateError);
      try {
        return await guard(
          path,
          "written",
          async () => {
            if ((await read()) !== tag) return false;
            // Before the first text: a power cut that removed the folder would remove every later text with it.
            if (tag === undefined) await makeLastingFolder(fs, folder);
            await write(text.replace(/\n$/, ""), () => lock.check(lease));
            return true;
          },
          subject,
        );
      } finally {
        // If this fails, the next process finds that the holder is dead.
        await lease.release().catch(() => undefined);
      }
    },
  };
}
