import { isHexId, zoneId } from "../../../core/brand.ts";
import { type Diagnostic, warning } from "../../../core/diagnostic.ts";
import { type Entry, errorCode, type FileSystem } from "../../../core/file-system.ts";
import { JOURNAL, type ListedZone } from "../../engine.ts";
import type { Role, StateFile } from "../../upkeep.ts";
import { roleOf } from "../../zone/entries.ts";
import { TEMPORARY, type ZonePlace } from "./place.ts";

/** What is in a folder; nothing if there is none, because the first write makes it. */
export async function listIfThere(fs: FileSystem, folder: string): Promise<readonly Entry[]> {
  try {
    return await fs.list(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The names of a zone's files, as `pathOf` takes them. */
export async function namesOf({
  fs,
  folder,
  zone,
}: Pick<ZonePlace, "fs" | "folder" | "zone">): Promise<readonly string[]> {
  const start = `${zone}.`;
  const found = await listIfThere(fs, folder);
  return found.flatMap(({ name }) => (name.startsWith(start) ? [name.slice(start.length)] : []));
}

/** The zones of a project's folder. A journal or a file of observed hostnames may be empty; a state and its copies count. */
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
export async function filesOf(at: ZonePlace): Promise<readonly StateFile[]> {
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
  if (name === JOURNAL) return "journal";
  if (name === "lock") return "lock";
  if (name.startsWith(TEMPORARY)) return "temporary";
  return /^observations-[1-9]\d{0,14}$/.test(name) ? "observations" : roleOf({ name }).role;
}

/**
 * A warning for each of the folders and files that other users can read or change: they hold a key and everything we
 * know.
 */
export async function openToOthers(at: ZonePlace): Promise<readonly Diagnostic[]> {
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
  const message = `${path} may be read or changed by other users of this machine`;
  return warning({ code: "state-open-to-others", message, remedy: `chmod go= ${path}` });
}
