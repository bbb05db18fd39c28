import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { parseSnapshot, type Snapshot } from "./snapshot.ts";

/** Keeps a service's snapshot in a file. */
export interface Persistence {
  /** Writes soon, once for all changes until then. */
  soon(): void;
  /** Writes now, if anything waits to be written. */
  flush(): void;
}

/** How long changes are collected before they are written. */
const GATHER_MILLISECONDS = 200;

/** The persist file holds something else. The message continues a sentence that begins with the file's name. */
export class PersistFileError extends Error {
  constructor(options: ErrorOptions) {
    super("is not a file that this version of the emulator wrote", options);
    this.name = "PersistFileError";
  }
}

/** The snapshot in the file, if the file exists. Throws a PersistFileError for one that no emulator wrote. */
export function readSnapshot(file: string): Snapshot | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  try {
    return parseSnapshot(text);
  } catch (cause) {
    throw new PersistFileError({ cause });
  }
}

/** Writes what `take` gives. Written beside the file, then renamed over it: a crash leaves the old file whole. */
export function createPersistence(file: string, take: () => Snapshot): Persistence {
  let waiting: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (waiting === undefined) return;
    clearTimeout(waiting);
    waiting = undefined;
    // Removed first: it may be a link to some other file.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, JSON.stringify(take()), { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
  };
  return {
    flush,
    soon: () => {
      waiting ??= setTimeout(flush, GATHER_MILLISECONDS).unref();
    },
  };
}
