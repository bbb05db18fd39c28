import { isHexId, type ZoneId, zoneId } from "../../core/brand.ts";
import { type Diagnostic, warning } from "../../core/diagnostic.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import type { Role, StateFile } from "../upkeep.ts";
import { roleOf } from "./paths.ts";

/** Every file of a zone, by name; empty if there is no folder. */
export async function listFiles(fs: FileSystem, folder: string, zone: ZoneId): Promise<readonly StateFile[]> {
  const found: StateFile[] = [];
  for (const name of await namesIn(fs, folder)) {
    if (!name.startsWith(`${zone}.`)) continue;
    const path = `${folder}/${name}`;
    const stat = await fs.stat(path);
    const role = roleOf(name.slice(zone.length));
    const copy = role === "set-aside" ? { copy: name.slice(`${zone}.`.length) } : {};
    if (stat) found.push({ path, role, ...copy, sizeBytes: stat.sizeBytes, mode: stat.mode });
  }
  return found;
}

const OF_A_ZONE: ReadonlySet<Role> = new Set(["state", "journal", "backup", "observations"]);

/** The zones that have a state, a journal, an earlier copy or observed hostnames here. */
export async function zonesIn(fs: FileSystem, folder: string): Promise<readonly ZoneId[]> {
  const ids = new Set<string>();
  for (const name of await namesIn(fs, folder)) {
    const [id = ""] = name.split(".", 1);
    const role = roleOf(name.slice(id.length));
    if (isHexId(id) && OF_A_ZONE.has(role)) ids.add(id);
  }
  return [...ids].map(zoneId);
}

/** The names in the states' folder; empty if there is no folder, because the first write makes it. */
export async function namesIn(fs: FileSystem, folder: string): Promise<readonly string[]> {
  try {
    return (await fs.list(folder)).map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * A warning for each of the folders and files that other users can read or change: they hold a key and everything we
 * know.
 */
export async function openToOthers(
  fs: FileSystem,
  folders: readonly string[],
  files: readonly StateFile[],
): Promise<readonly Diagnostic[]> {
  const found: { path: string; mode: number }[] = [];
  for (const path of folders) {
    const stat = await fs.stat(path);
    if (stat) found.push({ path, mode: stat.mode });
  }
  return [...found, ...files].filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => openWarning(path));
}

function openWarning(path: string): Diagnostic {
  const message = `${path} may be read or changed by other users of this machine`;
  return warning({ code: "state-open-to-others", message, remedy: `chmod go= ${path}` });
}
