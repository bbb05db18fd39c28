import { mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileSystem } from "../../lib/core/file-system.ts";
import type { LocalOptions } from "../../lib/state/engines/local/place.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "./disk.ts";

/** A new folder for the states of one project, removed when the test ends. */
export async function projectFolder(project = "shop"): Promise<string> {
  const folder = `${await temporaryFolder()}/${project}`;
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** The store of the states in such a folder. */
export function localStore(fs: FileSystem, folder: string, options: LocalOptions): ProjectStore {
  return localStores(fs, dirname(folder), options).of(basename(folder));
}

/** The path of a zone's present journal in such a folder: the one with the highest fence. */
export async function journalFile(folder: string, zone: string): Promise<string> {
  const fences = (await readdir(folder)).flatMap((name) => /\.journal-(\d+)$/.exec(name.replace(zone, ""))?.[1] ?? []);
  return join(folder, `${zone}.journal-${Math.max(...fences.map(Number))}`);
}
