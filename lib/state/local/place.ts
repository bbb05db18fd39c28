import type { ZoneId } from "../../core/brand.ts";
import type { Clock, Random, SteadyClock } from "../../core/clock.ts";
import type { FileSystem } from "../../core/file-system.ts";
import { readSerial } from "./backups.ts";
import type { Identity } from "./identity.ts";
import { generationLock, type Lock } from "./lock.ts";
import { type Paths, paths } from "./paths.ts";

/** What the local store needs besides the disk. */
export interface LocalStoreOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** The folder around the one of the states, which is kept as carefully; absent if nothing of it is ours. */
  readonly root?: string;
}

/** A folder of states, and what every part of the store needs to work in it. */
export interface Place extends LocalStoreOptions {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly pathsOf: (zone: ZoneId) => Paths;
  readonly lockOf: (zone: ZoneId) => Lock;
  /** An unused path beside a zone's files. */
  readonly temporaryOf: (zone: ZoneId) => string;
}

/** Opens a folder without making it. */
export function placeIn(fs: FileSystem, folder: string, options: LocalStoreOptions): Place {
  const pathsOf = (zone: ZoneId): Paths => paths(folder, zone);
  const durableSerial = async (zone: ZoneId): Promise<number | undefined> => {
    const serial = await readSerial(fs, pathsOf(zone).state);
    // The process that replaced it may have died before the folder entry was durable.
    if (serial !== undefined) await fs.syncDirectory(folder);
    return serial;
  };
  return {
    ...options,
    fs,
    folder,
    pathsOf,
    lockOf: (zone) =>
      generationLock(
        { fs, ...options, durableSerial: () => durableSerial(zone) },
        pathsOf(zone).lock,
        `the state of zone ${zone}`,
      ),
    temporaryOf: (zone) => pathsOf(zone).temporary(options.random.uuid()),
  };
}
