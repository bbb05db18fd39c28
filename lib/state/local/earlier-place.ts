import type { ZoneId } from "../../core/brand.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { paths, roleOf } from "./paths.ts";

/**
 * States were once kept in the root itself, `<zone id>.state` and so on, without a folder for each project. Which of the
 * two places has the state of a zone is told by names alone: `.moving-<folder>` says that a project's folder gets it,
 * `.moved-<folder>` that it has it.
 */
export interface TwoPlaces {
  readonly root: string;
  /** The name of the project's folder in the root. */
  readonly folder: string;
}

/** Where the state of a zone is: in the folder of the project, or in the root, where it was kept before. */
export type Whereabouts = "folder" | "root";

/** The two files that say what becomes of a zone's state in the root. */
export function marksOf(
  { root, folder }: TwoPlaces,
  zone: ZoneId,
): { readonly moving: string; readonly moved: string } {
  const base = `${root}/${zone}`;
  return { moving: `${base}.moving-${folder}`, moved: `${base}.moved-${folder}` };
}

/** Where the state of a zone is. */
export async function findState(fs: FileSystem, places: TwoPlaces, zone: ZoneId): Promise<Whereabouts> {
  const inRoot = await namesOf(fs, places.root, zone);
  const decided = decide(places, zone, inRoot);
  if (decided !== undefined) return decided;
  return holdsState(zone, await namesOf(fs, `${places.root}/${places.folder}`, zone)) ? "folder" : "root";
}

/** The same at once, for messages; the folder if this disk cannot tell at once. */
export function findStateNow(fs: FileSystem, places: TwoPlaces, zone: ZoneId): Whereabouts {
  if (!fs.namesNow) return "folder";
  const decided = decide(places, zone, namesNow(fs, places.root, zone));
  if (decided !== undefined) return decided;
  return holdsState(zone, namesNow(fs, `${places.root}/${places.folder}`, zone)) ? "folder" : "root";
}

/** Undefined if the folder has the state unless it is empty. */
function decide({ folder }: TwoPlaces, zone: ZoneId, inRoot: readonly string[]): Whereabouts | undefined {
  if (inRoot.includes(`${zone}.moved-${folder}`)) return "folder";
  if (inRoot.includes(`${zone}.moving-${folder}`)) return "root";
  // It is another project's.
  if (inRoot.some((name) => /^\.mov(ing|ed)-/.test(name.slice(zone.length)))) return "folder";
  return holdsState(zone, inRoot) ? undefined : "folder";
}

function holdsState(zone: ZoneId, names: readonly string[]): boolean {
  return names.some((name) => ["state", "journal", "backup"].includes(roleOf(name.slice(zone.length))));
}

async function namesOf(fs: FileSystem, folder: string, zone: ZoneId): Promise<readonly string[]> {
  return orNone(async () => (await fs.list(folder)).flatMap(({ name }) => (name.startsWith(`${zone}.`) ? [name] : [])));
}

async function orNone(list: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await list();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function namesNow(fs: FileSystem, folder: string, zone: ZoneId): readonly string[] {
  try {
    return (fs.namesNow?.(folder) ?? []).filter((name) => name.startsWith(`${zone}.`));
  } catch {
    // Whoever reads the folder reports it.
    return [];
  }
}

/** A file in place of a folder has no names either; whoever reads the state reports it. */
function isAbsent(error: unknown): boolean {
  return errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
}

/** The first line of what is left in the place of the state, so that a Zoneform that only knows the root refuses it. */
const TOMBSTONE = { format: "zoneform-state", version: 1000 } as const;

/** No state is as short as this and still has an object. */
const LONGEST_TOMBSTONE_BYTES = 4096;

/** What is left in the place of a state that was moved to the folder of a project. */
export function tombstone(project: string): string {
  return JSON.stringify({ ...TOMBSTONE, moved_to: project });
}

/** Whether a file is what is left of a state that was moved. */
export async function isTombstone(fs: FileSystem, root: string, zone: ZoneId, project: string): Promise<boolean> {
  try {
    const bytes = await fs.read(paths(root, zone).state, LONGEST_TOMBSTONE_BYTES);
    return Buffer.from(bytes).toString("utf8") === `${tombstone(project)}\n`;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "EFBIG") return false;
    throw error;
  }
}
