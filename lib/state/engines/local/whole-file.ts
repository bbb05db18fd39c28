import { dirname } from "node:path";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { hasNoLinks } from "./failure.ts";

/** Lines are written in chunks of this size, because a call for each line would cost more than its bytes. */
const PIECE_CHARACTERS = 256 * 1024;

/** Writes the lines to a new file and flushes it. It gets its place by a rename, once it is complete. */
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
 * Renames a prepared file over the target and makes that durable: a crash at any point leaves the old file or the new
 * one, complete.
 */
export async function putInPlace(fs: FileSystem, folder: string, prepared: string, target: string): Promise<void> {
  await fs.rename(prepared, target);
  await fs.syncDirectory(folder);
}

/** Gives a file a second name, in place of what had it: the file is never missing. Does nothing if there is no file. */
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
 * Makes a folder and makes its entry in the folders above durable: a power cut that removed the folder would remove
 * everything ever flushed into it. It does this even if the folder exists, because the process that made it may have
 * died too early.
 */
export async function makeLastingFolder(fs: FileSystem, folder: string): Promise<void> {
  const above = dirname(folder);
  if (above !== folder && !(await fs.stat(above))) await makeLastingFolder(fs, above);
  await fs.makeDirectory(folder, 0o700);
  await fs.syncDirectory(above);
}
