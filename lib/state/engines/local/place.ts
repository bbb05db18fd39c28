import { topOf } from "../../../core/diagnostic.ts";
import { isUtf8 } from "node:buffer";
import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import {
  type Entry,
  LONGEST_FIRST_LINE_BYTES,
  LONGEST_START_BYTES,
  serialOf,
  STATE,
  type ZoneKey,
} from "../../engine.ts";
import { StateError } from "../../error.ts";
import { guard } from "./failure.ts";
import type { Identity } from "./generations.ts";
import { journalsIn, TEMPORARY, type ZoneFiles } from "./listing.ts";
import { GenerationLock } from "./lock.ts";

/** What states in a folder need besides the disk. */
export interface LocalOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
}

/** A folder of states. */
export interface Place extends LocalOptions {
  /** A file system that should not follow symbolic links. */
  readonly fs: FileSystem;
  readonly root: string;
  /** The entries that this process has read, by path. */
  readonly entries: Map<string, Entry>;
  /** The paths of the journals that are known to end with a complete line. */
  readonly ready: Set<string>;
}

/** The files and folders of a zone. */
export interface ZonePlace extends ZoneFiles {
  /** An unused path in the zone's folder. */
  readonly temporary: () => string;
  readonly lock: GenerationLock;
  /** The entry of a name; undefined if there is none now. */
  readonly entry: (name: string) => Promise<Entry | undefined>;
  readonly ready: Set<string>;
}

/** The place of a zone; makes nothing. */
export function zoneIn(place: Place, { project, zone }: ZoneKey): ZonePlace {
  const { fs, root, random, entries, ready } = place;
  const folder = `${root}/${folderOf(project)}`;
  const base = `${folder}/${zone}`;
  const pathOf = (part: string): string => `${base}.${part}`;
  const entry = (name: string): Promise<Entry | undefined> => entryAt(fs, pathOf(name), name, entries);
  const durableSerial = async (): Promise<number | undefined> => {
    const state = await entry(STATE);
    // The process that replaced it may have died before the folder entry was durable.
    if (state) await fs.syncDirectory(folder);
    return state && serialOf(state);
  };
  const files: ZoneFiles = { fs, zone, folder, folders: [root, folder], pathOf };
  const usedFence = async (): Promise<number> => (await journalsIn(files)).at(-1)?.fence ?? 0;
  return {
    ...files,
    temporary: () => pathOf(`${TEMPORARY}${random.uuid()}`),
    lock: new GenerationLock({ ...place, durableSerial, usedFence }, `${base}.lock`, `the state of zone ${zone}`),
    entry,
    ready,
  };
}

/** A symbolic link in place of a folder would lead out of the project. */
export async function checkFolders({ fs, folders }: Pick<ZonePlace, "fs" | "folders">): Promise<void> {
  for (const folder of folders) {
    const found = await guard(folder, "read", () => fs.stat(folder));
    if (!found || found.kind === "directory") continue;
    throw new StateError({
      code: "state-disk",
      message: "the state cannot be stored: its folder is a symbolic link or a file",
      remedy: "replace it with a folder, or use another path",
      at: topOf(folder),
    });
  }
}

/** The project names that the schema allows; none of them leads out of a folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names that Windows keeps for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * The folder of a project. It has no capital letters, because two names that differ only by case would share a folder on
 * a file system that ignores case: `Edge` is kept in `+edge`. A name that Windows would take for a device gets `_` in
 * front, and a dot at the end gets `+` behind, because Windows drops it. Throws `RangeError` for anything that is not the
 * name of a project.
 */
export function folderOf(project: string): string {
  if (!NAME.test(project)) throw new RangeError(`not the name of a project: ${JSON.stringify(project)}`);
  const lower = project.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
  const marked = DEVICE.test(lower) ? `_${lower}` : lower;
  return marked.endsWith(".") ? `${marked}+` : marked;
}

/** The project of a folder; undefined for a folder that is none of ours. */
export function projectOf(folder: string): string | undefined {
  const project = folder
    .replace(/^_/, "")
    .replace(/\+$/, "")
    .replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return NAME.test(project) && folderOf(project) === folder ? project : undefined;
}

const LINE_END = 10;

/**
 * The entry in a file; undefined if there is none. Its tag is the version of the file. `known` has the entries that
 * were read before, by path: an entry never changes, so a file of the same version is not read again.
 */
export async function entryAt(
  fs: FileSystem,
  path: string,
  name: string,
  known: Map<string, Entry>,
): Promise<Entry | undefined> {
  for (;;) {
    const found = await fs.stat(path);
    const seen = known.get(path);
    if (found && seen?.tag === found.version) return seen;
    known.delete(path);
    if (!found) return undefined;
    const entry = { name, tag: found.version, bytes: found.sizeBytes, ...(await startOf(fs, path, found.sizeBytes)) };
    // Another file may have taken its place in between.
    if ((await fs.stat(path))?.version === found.version) known.set(path, entry);
  }
}

/**
 * All lines if they are few and short, else the first one. Lines that cannot be read are left out here; reading the
 * body reports why.
 */
async function startOf(fs: FileSystem, path: string, bytes: number): Promise<Pick<Entry, "start" | "isWhole">> {
  try {
    for await (const piece of fs.stream(path)) {
      if (piece.length < bytes || bytes > LONGEST_START_BYTES || !isUtf8(piece))
        return { start: piece.includes(LINE_END) ? [firstLine(piece)] : [], isWhole: false };
      const lines = Buffer.from(piece).toString("utf8").split("\n");
      return { start: lines.at(-1) === "" ? lines.slice(0, -1) : lines, isWhole: true };
    }
    return { start: [], isWhole: true };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { start: [], isWhole: false };
  }
}

/** The text of the first line, damaged or not, cut at the length of a header. */
export function firstLine(piece: Uint8Array): string {
  const end = piece.indexOf(LINE_END);
  const length = Math.min(end < 0 ? piece.length : end, LONGEST_FIRST_LINE_BYTES);
  return Buffer.from(piece.subarray(0, length)).toString("utf8");
}
