import { errorCode, type FileSystem } from "../../core/file-system.ts";
import type { Shared } from "../engine.ts";
import type { StateStores } from "../stores.ts";
import type { ProjectStore } from "../upkeep.ts";
import { sharedClaims } from "../zone/claims.ts";
import { guard } from "./failure.ts";
import { zonesIn } from "./files.ts";
import type { LocalStoreOptions } from "./place.ts";
import { folderOf, projectOf } from "./project-folder.ts";
import { localShared } from "./shared.ts";
import { localStore } from "./store.ts";

/**
 * Keeps the states of projects in a folder, with a folder for each project in it: `<project>/<zone id>.state`, and
 * what the projects claim in one file. The disk should not follow symbolic links.
 */
export function localStores(fs: FileSystem, root: string, options: LocalStoreOptions): StateStores {
  const stores = new Map<string, ProjectStore>();

  function of(project: string): ProjectStore {
    const store = stores.get(project) ?? localStore(fs, `${root}/${folderOf(project)}`, { ...options, root });
    stores.set(project, store);
    return store;
  }

  async function projects(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const folder of await foldersIn(fs, root)) {
      const project = projectOf(folder);
      if (project !== undefined && (await zonesIn(fs, `${root}/${folder}`)).length > 0) found.push(project);
    }
    return found.sort();
  }

  const shared = (name: string): Shared => localShared(fs, root, options, name);

  return {
    of,
    claims: sharedClaims({ shared, describe: () => root }, options),
    shared,
    projects: () => guard(root, "read", projects),
    describe: () => root,
    close: async () => undefined,
  };
}

async function foldersIn(fs: FileSystem, root: string): Promise<readonly string[]> {
  try {
    return (await fs.list(root)).flatMap(({ name, kind }) => (kind === "directory" ? [name] : []));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
