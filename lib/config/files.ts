import { error, type Position, problem, topOf } from "../core/diagnostic.ts";
import { posix } from "node:path";
import picomatch from "picomatch";
import { defined } from "../core/json.ts";
import { type FileSystem, errorCode } from "../core/file-system.ts";
import { didYouMean } from "../core/suggest.ts";
import type { Report } from "./report.ts";
import { decodeText } from "./text.ts";

/** The part of the disk that the configuration is read from. */
export type Disk = Pick<FileSystem, "read" | "stream" | "list" | "stat" | "realPath">;

/** The folder of the project file, with symbolic links resolved: nothing outside it is read. */
export interface ProjectFolder {
  readonly disk: Disk;
  readonly path: string;
}

/** A file inside the project: its path, and its name in messages. */
export interface ProjectPath {
  readonly path: string;
  /** Relative to the project's folder, with forward slashes. */
  readonly name: string;
}

/**
 * Finds the file for a path in the YAML. `from` is the folder that the path starts at, relative to the project's. The
 * file must be a regular file inside the project, even after following symbolic links.
 */
export async function locate(
  project: ProjectFolder,
  from: string,
  written: string,
  at: Position | undefined,
  report: Report,
): Promise<ProjectPath | undefined> {
  const here = defined({ at });
  const outside = (how: string): undefined =>
    report(error(problem("outside-project", { path: JSON.stringify(written), how }, here)));
  if (isAbsolute(written)) return outside("is not relative");
  const name = posix.normalize(posix.join(from, written.replaceAll("\\", "/")));
  if (name === ".." || name.startsWith("../")) return outside("leads out of the project folder");

  const path = posix.join(project.path, name);
  const stat = await project.disk.stat(path).catch(ignoreMissing);
  if (!stat) {
    const message = `there is no file ${JSON.stringify(name)}`;
    return report(error({ code: "file-not-found", message, remedy: await nearby(project, name), ...here }));
  }
  if (stat.kind !== "file") {
    return report(error(problem("not-a-file", { path: JSON.stringify(name) }, here)));
  }
  const real = await project.disk.realPath(path);
  if (!real.startsWith(project.path === "/" ? "/" : `${project.path}/`)) {
    return outside("is a symbolic link that leads out of the project folder");
  }
  return { path, name };
}

/** Absolute paths of any system, home folders and URLs. */
function isAbsolute(written: string): boolean {
  return /^([/\\~]|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]+:\/\/)/.test(written);
}

function ignoreMissing(failure: unknown): undefined {
  if (["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"].includes(errorCode(failure) ?? "")) return undefined;
  throw failure;
}

async function nearby(project: ProjectFolder, name: string): Promise<string> {
  const folder = posix.dirname(name);
  const siblings = await project.disk.list(posix.join(project.path, folder)).catch(() => []);
  const near = didYouMean(
    name,
    siblings.map((entry) => posix.join(folder, entry.name)),
  );
  return near || `check the path; it was looked for in ${folder === "." ? "the folder of zoneform.yaml" : folder}`;
}

/** Larger YAML files are refused before reading. */
const LARGEST_YAML_BYTES = 16 * 1024 * 1024;

/** Reads one text file, up to a limit in bytes. */
export async function readText(disk: Disk, file: ProjectPath, report: Report): Promise<string | undefined> {
  const at = topOf(file.name);
  const stat = await disk.stat(file.path);
  if (stat && stat.sizeBytes > LARGEST_YAML_BYTES) {
    const excess = `${stat.sizeBytes} bytes, at most ${LARGEST_YAML_BYTES} are allowed`;
    return report(error(problem("file-too-large", { excess }, { at })));
  }
  try {
    return decodeText(await disk.read(file.path, LARGEST_YAML_BYTES), file.name, report);
  } catch (failure) {
    const code = errorCode(failure);
    if (code === undefined) throw failure;
    return report(error(problem("file-unreadable", { cause: code }, { at })));
  }
}

/** How deep to search; deeper folders are skipped. */
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
