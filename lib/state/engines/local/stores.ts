import type { FileSystem } from "../../../core/file-system.ts";
import { type StateStores, zoneStores } from "../../stores.ts";
import { folderEngine } from "./engine.ts";
import type { LocalOptions } from "./place.ts";

/** The states of projects in a folder. The parameters are those of `folderEngine`. */
export function localStores(fs: FileSystem, root: string, options: LocalOptions): StateStores {
  return zoneStores(folderEngine(fs, root, options), options);
}
