import { problem } from "../../../core/problem.ts";
import { isHexId, type ZoneId, zoneId } from "../../../core/brand.ts";
import { type Diagnostic, warning } from "../../../core/diagnostic.ts";
import { type Entry, errorCode, type FileSystem } from "../../../core/file-system.ts";
import { JOURNAL, type ListedZone, type Role, type StateFile } from "../../engine.ts";
import { roleOf } from "../../zone/entries.ts";

/** The files of a zone. */
export interface ZoneFiles {
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
export async function listIfThere(fs: FileSystem, folder: string): Promise<readonly Entry[]> {
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
