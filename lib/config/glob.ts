import { posix } from "node:path";
import picomatch from "picomatch";
import type { Disk, ProjectFolder } from "./files.ts";

/** Deeper folders are not searched. */
const MOST_LEVELS = 16;
/** Folders that are never part of a project's configuration. */
const SKIPPED = /^(\..*|node_modules)$/;

/** Whether a path is a pattern: it contains `*`, `?`, `[…]` or `{…}`. */
export function isPattern(path: string): boolean {
  return picomatch.scan(path).isGlob;
}

/** The files of the project that match a pattern, by name. The search does not follow links. */
export async function expand(project: ProjectFolder, pattern: string): Promise<readonly string[]> {
  const { base } = picomatch.scan(pattern);
  const matches = picomatch(pattern);
  const found = await walk(
    project.disk,
    project.path,
    base,
    pattern.includes("**") ? MOST_LEVELS : depth(pattern, base),
  );
  return found.filter((name) => matches(name)).sort();
}

function depth(pattern: string, base: string): number {
  return pattern.split("/").length - (base === "" ? 0 : base.split("/").length);
}

async function walk(disk: Disk, root: string, folder: string, levels: number): Promise<readonly string[]> {
  if (levels <= 0) return [];
  const entries = await disk.list(posix.join(root, folder)).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const name = posix.join(folder, entry.name);
    if (entry.kind !== "directory") found.push(name);
    else if (!SKIPPED.test(entry.name)) found.push(...(await walk(disk, root, name, levels - 1)));
  }
  return found;
}
