import { dirname } from "node:path";
import type { FileSystem } from "../../core/file-system.ts";

/**
 * Makes a folder, and makes the folders above know it for good: a power cut that took the folder away would take all
 * that was ever flushed into it. Done again where the folder is there, because whoever made it may have died before.
 */
export async function makeLastingFolder(fs: FileSystem, folder: string): Promise<void> {
  const above = dirname(folder);
  if (above !== folder && !(await fs.stat(above))) await makeLastingFolder(fs, above);
  await fs.makeDirectory(folder, 0o700);
  await fs.syncDirectory(above);
}
