import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { stopSharedServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what test files share, removed at the end of the run. */
    sharedFolder: string;
  }
}

/** Makes the folder before the first test. Returns a function that removes it after the last. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-shared-"));
  provide("sharedFolder", folder);
  return async () => {
    await stopSharedServer(folder);
    await rm(folder, { recursive: true, force: true });
  };
}
