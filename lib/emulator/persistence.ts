import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { parseSnapshot, type Snapshot } from "./snapshot.ts";

/** Keeps a service's snapshot in a file. */
export interface Persistence {
  /** Writes soon, once for all changes until then. */
  soon(): void;
  /** Writes now, if anything waits to be written. */
  flush(): void;
}

/** How long changes are gathered before they are written. */
const GATHER_MILLISECONDS = 200;

/** The snapshot in the file, if the file exists. Throws for a file that is none. */
export function readSnapshot(file: string): Snapshot | undefined {
  return existsSync(file) ? parseSnapshot(readFileSync(file, "utf8")) : undefined;
}

/** Writes what `take` gives. Written beside the file, then renamed over it: a crash leaves the old file whole. */
export function createPersistence(file: string, take: () => Snapshot): Persistence {
  let waiting: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (waiting === undefined) return;
    clearTimeout(waiting);
    waiting = undefined;
    // Made anew: what lies there may be a link to any other file.
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
