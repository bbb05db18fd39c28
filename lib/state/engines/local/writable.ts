import type { FileSystem } from "../../../core/file-system.ts";
import { StateError } from "../../error.ts";

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
 * Refuses to replace a read-only file, although a rename could: somebody removed the permission. It looks at the mode,
 * because the system lets an administrator write regardless.
 */
export async function refuseReadOnly(fs: FileSystem, path: string, subject = "the state"): Promise<void> {
  const found = await fs.stat(path);
  if (!found || (found.mode & 0o200) !== 0) return;
  throw new StateError({
    code: "state-read-only",
    message: `${subject} cannot be written: ${found.kind === "directory" ? "its folder" : "its file"} is read-only`,
    remedy: `chmod u+w ${path}`,
    at: { file: path, line: 1, column: 1 },
  });
}

async function refuseFull(fs: FileSystem, folder: string, neededBytes: number): Promise<void> {
  const free = await fs.freeBytes?.(folder);
  if (free === undefined || free >= neededBytes) return;
  throw new StateError({
    code: "state-disk",
    message: `not enough disk space for the state: ${free} bytes are free, ${neededBytes} may be needed`,
    remedy: "free disk space, then run it again",
    at: { file: folder, line: 1, column: 1 },
  });
}

/** Writes something that has to reach the disk, and deletes it. */
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
