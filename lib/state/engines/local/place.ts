import { type Diagnostic, problem, topOf, warning } from "../../../core/diagnostic.ts";
import { isUtf8 } from "node:buffer";
import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import { type Entry as FolderEntry, errorCode, type FileSystem } from "../../../core/file-system.ts";
import {
  type Entry,
  JOURNAL,
  type ListedZone,
  LONGEST_FIRST_LINE_BYTES,
  LONGEST_START_BYTES,
  type Role,
  serialOf,
  STATE,
  type StateFile,
  type ZoneKey,
} from "../../engine.ts";
import { StateError } from "../../error.ts";
import { guard } from "./failure.ts";
import type { Identity } from "./generations.ts";
import { GenerationLock } from "./lock.ts";
import { isHexId, type ZoneId, zoneId } from "../../../core/brand.ts";
import { roleOf } from "../../zone/view.ts";

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
async function entryAt(
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

/** The files of a zone. */
interface ZoneFiles {
  readonly fs: FileSystem;
  readonly zone: ZoneId;
  readonly folder: string;
  /** The folders that Zoneform made, outermost first. */
  readonly folders: readonly string[];
  /** The file of an entry or another part. */
  readonly pathOf: (part: string) => string;
}

/** The prefix of files that are not in their place yet. */
export const TEMPORARY = "temporary-";

/** The content of a folder; nothing if there is none, because the first write makes it. */
export async function listIfThere(fs: FileSystem, folder: string): Promise<readonly FolderEntry[]> {
  try {
    return await fs.list(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The names of a zone's files, as `pathOf` takes them. */
export async function namesOf({ fs, folder, zone }: ZoneFiles): Promise<readonly string[]> {
  const start = `${zone}.`;
  const found = await listIfThere(fs, folder);
  return found.flatMap(({ name }) => (name.startsWith(start) ? [name.slice(start.length)] : []));
}

/** The journal of one holder of the lock. */
export interface JournalFile {
  /** The fence of the holder; 0 for a journal that was put there by hand. */
  readonly fence: number;
  readonly path: string;
}

/**
 * The journals of a zone, the one that counts last. Each holder of the lock has its own file, so a late process writes
 * only to its own.
 */
export async function journalsIn(at: ZoneFiles): Promise<readonly JournalFile[]> {
  return journalsAmong(at, await namesOf(at));
}

/** The path of the journal that counts, for messages. */
export function journalPath(at: ZoneFiles): string {
  const start = `${at.zone}.`;
  try {
    const names = at.fs.namesNow?.(at.folder).filter((name) => name.startsWith(start)) ?? [];
    const found = journalsAmong(
      at,
      names.map((name) => name.slice(start.length)),
    );
    return found.at(-1)?.path ?? at.pathOf(JOURNAL);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return at.pathOf(JOURNAL);
  }
}

function journalsAmong({ pathOf }: ZoneFiles, names: readonly string[]): readonly JournalFile[] {
  const found = names.flatMap((name) => {
    const [whole, fence = "0"] = IS_JOURNAL.exec(name) ?? [];
    return whole === undefined ? [] : [{ fence: Number(fence), path: pathOf(name) }];
  });
  return found.sort((left, right) => left.fence - right.fence);
}

const IS_JOURNAL = /^journal(?:-([1-9]\d{0,14}))?$/;

/**
 * The zones of a project's folder. An empty journal or observations file does not make a zone; a state or a copy does.
 */
export async function zonesIn(fs: FileSystem, folder: string, project: string): Promise<readonly ListedZone[]> {
  const found = new Map<string, ListedZone>();
  for (const { name } of await listIfThere(fs, folder)) {
    const [id = ""] = name.split(".", 1);
    if (!isHexId(id)) continue;
    const role = purposeOf(name.slice(id.length + 1));
    const key = { project, zone: zoneId(id) };
    if (role === "state" || role === "backup") found.set(id, { ...key, isKept: true });
    else if (!found.has(id)) found.set(id, key);
  }
  return [...found.values()];
}

/** Every file of a zone. */
export async function filesOf(at: ZoneFiles): Promise<readonly StateFile[]> {
  const found: StateFile[] = [];
  for (const name of await namesOf(at)) {
    const path = at.pathOf(name);
    const stat = await at.fs.stat(path);
    const role = purposeOf(name);
    const copy = role === "set-aside" ? { copy: name } : {};
    if (stat) found.push({ path, role, ...copy, sizeBytes: stat.sizeBytes, mode: stat.mode });
  }
  return found;
}

function purposeOf(name: string): Role {
  if (IS_JOURNAL.test(name)) return "journal";
  if (name === "lock") return "lock";
  if (name.startsWith(TEMPORARY)) return "temporary";
  return /^observations-[1-9]\d{0,14}$/.test(name) ? "observations" : roleOf({ name }).role;
}

/** A warning for each folder and file that other users can read or change: they hold a key and everything we know. */
export async function openToOthers(at: ZoneFiles): Promise<readonly Diagnostic[]> {
  const found: { path: string; mode: number }[] = [];
  for (const path of at.folders) {
    const stat = await at.fs.stat(path);
    if (stat) found.push({ path, mode: stat.mode });
  }
  return [...found, ...(await filesOf(at))]
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path }) => openWarning(path));
}

function openWarning(path: string): Diagnostic {
  return warning(problem("state-open-to-others", { path }));
}
