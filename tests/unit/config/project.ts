import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import type { LoadedProject } from "../../../lib/config/desired.ts";
import { type LoadOptions, loadProject } from "../../../lib/config/load.ts";
import type { Diagnostic, Result } from "../../../lib/core/diagnostic.ts";

/** The first of November 2026, noon: what "today" is in the tests. */
export const TODAY: number = Date.UTC(2026, 10, 1, 12);

const fs = disk();

/** The files of a project by path; a project file and zones that are not given are added. */
export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>;

/** Makes a folder that goes when the test ends, and gives its path. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-config-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes the files of a project into a folder of their own and gives its path; they go when the test ends. */
export async function projectFolder(files: ProjectFiles): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Loads the project of a folder. */
export function loadFolder(
  folder: string,
  options: Omit<LoadOptions, "file"> & {
    readonly env?: Readonly<Record<string, string>>;
    readonly today?: number;
  } = {},
): Promise<Result<LoadedProject>> {
  const { env = {}, today = TODAY, ...rest } = options;
  return loadProject({ fs, env, today }, { file: join(folder, "zoneform.yaml"), ...rest });
}

/** Loads a project of these files. */
export async function load(
  files: ProjectFiles,
  options: Parameters<typeof loadFolder>[1] = {},
): Promise<Result<LoadedProject>> {
  return loadFolder(await projectFolder(files), options);
}

/** A project file that reads all zones. */
export const PROJECT = "version: 1\nproject: test\nzones: [zones/*.yaml]\n";

/** Loads a project of one zone file, `zones/a.yaml`; `body` comes after the zone. */
export function loadZone(
  body: string,
  files: ProjectFiles = {},
  options: Parameters<typeof loadFolder>[1] = {},
): Promise<Result<LoadedProject>> {
  const zone = `version: 1\nzone: { id: "11111111111111111111111111111111", name: saas.dev }\n${body}`;
  return load({ "zoneform.yaml": PROJECT, "zones/a.yaml": zone, ...files }, options);
}

/** What a result found wrong; nothing where it is sound. */
export function faults(result: Result<unknown>): readonly Diagnostic[] {
  return result.ok ? [] : result.diagnostics;
}

/** The value of a result. Fails the test with all errors where there is none. */
export function sound<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(
    result.diagnostics
      .map(({ code, message, at }) => `${at?.file}:${at?.line}:${at?.column} ${code} ${message}`)
      .join("\n"),
  );
}
