import { spawnSync } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { IS_FULL } from "./full.ts";
import { stopSharedServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what test files share, removed at the end of the run. */
    sharedFolder: string;
  }
}

/** Linux keeps the files in this folder in memory. */
const MEMORY = "/dev/shm";
/** Eight times what the tests have there at once. */
const ROOM_BYTES = 2 * 1024 ** 3;

/** Makes the folder before the first test. Returns a function that removes it after the last. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // Most files of tests live for less than a second, and creating and removing so many takes twice the time on a disk.
  if (process.env["TMPDIR"] === undefined && !IS_FULL && (await hasRoom())) process.env["TMPDIR"] = MEMORY;
  const folder = await mkdtemp(join(tmpdir(), "zoneform-shared-"));
  provide("sharedFolder", folder);
  return async () => {
    await stopSharedServer(folder);
    await rm(folder, { recursive: true, force: true });
  };
}

/** Whether the tests find room in memory, and may start programs there, which containers often forbid. */
async function hasRoom(): Promise<boolean> {
  const found = await statfs(MEMORY).catch(() => undefined);
  if (found === undefined || found.bavail * found.bsize < ROOM_BYTES) return false;
  const folder = await mkdtemp(join(MEMORY, "zoneform-"));
  const program = join(folder, "program");
  await writeFile(program, "#!/bin/sh\n", { mode: 0o700 });
  const { status } = spawnSync(program);
  await rm(folder, { recursive: true });
  return status === 0;
}
