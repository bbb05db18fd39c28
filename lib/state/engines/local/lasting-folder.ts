import { dirname } from "node:path";
import type { FileSystem } from "../../../core/file-system.ts";

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
