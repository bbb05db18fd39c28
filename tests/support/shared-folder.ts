import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { stopSharedServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what files of tests share. It goes with the run. */
    sharedFolder: string;
  }
}

/** Makes the folder before the first test. Gives what removes it after the last. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-shared-"));
  provide("sharedFolder", folder);
  return async () => {
    await stopSharedServer(folder);
    await rm(folder, { recursive: true, force: true });
  };
}
