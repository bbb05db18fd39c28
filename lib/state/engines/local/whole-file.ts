import { problem, topOf } from "../../../core/diagnostic.ts";
import { dirname } from "node:path";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { StateError } from "../../error.ts";
import { hasNoLinks } from "./failure.ts";

/** How many characters to write at once: a call for each line would cost more than its bytes. */
const PIECE_CHARACTERS = 256 * 1024;

/** Writes the lines to a new file and flushes it. Once complete, a rename puts it in place. */
export async function prepareFile(fs: FileSystem, temporary: string, lines: AsyncIterable<string>): Promise<string> {
  const file = await fs.create(temporary, 0o600);
  try {
    for await (const piece of pieces(lines)) await file.write(piece);
    await file.sync();
  } finally {
    await file.close();
  }
  return temporary;
}

async function* pieces(lines: AsyncIterable<string>): AsyncIterable<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/**
 * Renames a prepared file over the target and flushes the folder: a crash at any point leaves the old file or the new
 * one whole.
 */
export async function putInPlace(fs: FileSystem, folder: string, prepared: string, target: string): Promise<void> {
  await fs.rename(prepared, target);
  await fs.syncDirectory(folder);
}

/**
 * Gives a file a second name, replacing the file that had that name; the file is never missing. Does nothing if there
 * is no file.
 */
export async function keepCopy(fs: FileSystem, target: string, temporary: string, copy: string): Promise<void> {
  try {
    await fs.link(target, temporary);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    if (!hasNoLinks(error)) throw error;
    await fs.copy(target, temporary);
  }
  await fs.rename(temporary, copy);
}

/**
 * Makes a folder and flushes its entry in the folders above: a power cut that removed the folder would remove
 * everything ever flushed into it. It flushes even if the folder exists, because the process that made it may have died
 * too early.
 */
export async function makeLastingFolder(fs: FileSystem, folder: string): Promise<void> {
  const above = dirname(folder);
  if (above !== folder && !(await fs.stat(above))) await makeLastingFolder(fs, above);
  await fs.makeDirectory(folder, 0o700);
  await fs.syncDirectory(above);
}

/** Checks that a state of this many bytes could be kept in the folder. Throws `StateError`, or the disk's own error. */
export async function probeFolder(
  fs: FileSystem,
  folder: string,
  target: string,
  probe: string,
  neededBytes: number,
): Promise<void> {
  await refuseReadOnly(fs, folder);
  await refuseReadOnly(fs, target);
  await refuseFull(fs, folder, neededBytes);
  await writeProbe(fs, probe);
}

/**
 * Refuses to replace a read-only file, although a rename could: a person removed the permission. It checks the mode,
 * because the system lets an administrator write anyway.
 */
export async function refuseReadOnly(fs: FileSystem, path: string, subject = "the state"): Promise<void> {
  const found = await fs.stat(path);
  if (!found || (found.mode & 0o200) !== 0) return;
  const what = `${subject} cannot be written: ${found.kind === "directory" ? "its folder" : "its file"}`;
  throw new StateError(problem("state-read-only", { what, path }, { at: topOf(path) }));
}

async function refuseFull(fs: FileSystem, folder: string, neededBytes: number): Promise<void> {
  const free = await fs.freeBytes?.(folder);
  if (free === undefined || free >= neededBytes) return;
  throw new StateError({
    code: "state-disk",
    message: `not enough disk space for the state: ${free} bytes are free, ${neededBytes} may be needed`,
    remedy: "free disk space, then run it again",
    at: topOf(folder),
  });
}

/** Writes and flushes a test file, and deletes it. */
async function writeProbe(fs: FileSystem, probe: string): Promise<void> {
  const file = await fs.create(probe, 0o600);
  try {
    await file.write("zoneform checks whether it can write here\n");
    await file.sync();
  } finally {
    await file.close();
    await fs.remove(probe);
  }
}
