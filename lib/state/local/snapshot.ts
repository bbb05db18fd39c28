import { runningDigest } from "../../core/digest.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { hasNoLinks } from "./failure.ts";

/** Lines are written in chunks of this size, because a call for each line would cost more than its bytes. */
const PIECE_CHARACTERS = 256 * 1024;

/** The version of a snapshot: the SHA-256 of its bytes. Undefined if there is none. */
export async function snapshotVersion(fs: FileSystem, path: string): Promise<string | undefined> {
  const hash = runningDigest();
  try {
    for await (const piece of fs.stream(path)) hash.add(piece);
    return hash.hex();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A complete and durable snapshot beside its place, not yet in it. */
export interface PreparedSnapshot {
  readonly temporary: string;
  readonly version: string;
}

/** Writes the lines to a new file beside the target and flushes it; returns its version. */
export async function prepareSnapshot(
  fs: FileSystem,
  temporary: string,
  lines: AsyncIterable<string>,
): Promise<PreparedSnapshot> {
  const hash = runningDigest();
  const file = await fs.create(temporary, 0o600);
  try {
    for await (const piece of pieces(lines)) {
      hash.add(piece);
      await file.write(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { temporary, version: hash.hex() };
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
 * one, complete. An old file is kept as `backup`.
 */
export async function putInPlace(
  fs: FileSystem,
  folder: string,
  prepared: string,
  target: string,
  backup?: string,
): Promise<void> {
  if (backup !== undefined) await keepBackup(fs, target, `${prepared}-backup`, backup);
  await fs.rename(prepared, target);
  await fs.syncDirectory(folder);
}

/**
 * Gives a file a second name before it is replaced, so that the target is never missing. Does nothing if there is no
 * file.
 */
export async function keepBackup(fs: FileSystem, target: string, temporary: string, backup: string): Promise<void> {
  try {
    await fs.link(target, temporary);
    await fs.rename(temporary, backup);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    if (!hasNoLinks(error)) throw error;
    await fs.copy(target, temporary);
    await fs.rename(temporary, backup);
  }
}
