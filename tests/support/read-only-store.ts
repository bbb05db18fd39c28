import type { FileSystem } from "../../lib/core/file-system.ts";
import { StateError } from "../../lib/state/error.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { changedStore } from "./changed-store.ts";

/** A read-only disk. `tried` gets the path of each attempt to change something. */
export function readOnlyDisk(real: FileSystem, tried: string[]): FileSystem {
  const refuse = async (path: string): Promise<never> => {
    tried.push(path);
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  };
  return {
    ...real,
    makeDirectory: refuse,
    create: refuse,
    append: refuse,
    copy: (_from, to) => refuse(to),
    rename: (_from, to) => refuse(to),
    link: (_from, to) => refuse(to),
    remove: refuse,
    syncDirectory: refuse,
  };
}

/** Stores that only allow reading. `tried` gets the name of each method that would write or lock. */
export function readOnlyStores(stores: StateStores, tried: string[]): StateStores {
  const refuse = (method: string) => async (): Promise<never> => {
    tried.push(method);
    const message = `the state at the store of the test cannot be written: this role has no right to do that`;
    throw new StateError({ code: "state-disk", message });
  };
  const of = (project: string): ProjectStore =>
    changedStore(stores.of(project), {
      write: refuse("write"),
      append: refuse("append"),
      checkLease: refuse("checkLease"),
      keep: refuse("keep"),
      discard: refuse("discard"),
      observe: refuse("observe"),
      condense: refuse("condense"),
      lock: refuse("lock"),
      unlock: refuse("unlock"),
      checkWritable: refuse("checkWritable"),
      addBackup: refuse("addBackup"),
      setAside: refuse("setAside"),
      discardCopy: refuse("discardCopy"),
      retire: refuse("retire"),
      rewriteJournal: refuse("rewriteJournal"),
    });
  return { ...stores, of };
}
