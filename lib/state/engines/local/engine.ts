import type { FileSystem } from "../../../core/file-system.ts";
import { type Engine, JOURNAL, type ListedZone, STATE, type TakenLock, type ZoneKey } from "../../engine.ts";
import type { LockHolder } from "../../lock.ts";
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
  zoneIn,
  type ZonePlace,
  zonesIn,
} from "./place.ts";
import { sharedFile } from "./shared.ts";
import { addSightings, bytesSeen, condenseSightings, linesSeen } from "./sightings.ts";
import { bodyOf, journalOf, looseLinesOf, tailOf, viewOf } from "./view.ts";
import { asHolder } from "./lock.ts";
import { makeLastingFolder, probeFolder } from "./whole-file.ts";
import { type StateStores, zoneStores } from "../../stores.ts";

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
