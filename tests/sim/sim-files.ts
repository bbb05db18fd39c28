import { dirname } from "node:path/posix";
import type { FileSystem, Stat, WritableFile } from "../../lib/core/file-system.ts";
import type { Dice } from "./dice.ts";
import type { Machine, SimProcess } from "./machine.ts";
import type { Inode } from "./sim-disk.ts";

/** Which call that changes the disk fails, counted from 1 within a process. */
export interface DiskFault {
  readonly at: number;
  readonly code: "EIO" | "ENOSPC" | "EROFS";
  /** Whether all later calls fail too. */
  readonly isLasting: boolean;
}

const SLOWEST_CALL_MILLISECONDS = 2;
/** Each call by itself costs less than a request, and never the same. */
const BYTES_FREE = 1_000_000_000;

/** Also sees everything that a process writes, to search it for secrets. `isRefused`: nothing of it was stored. */
export type Witness = (path: string, text: string, options?: { readonly isRefused?: boolean }) => void;

/** The machine's disk, as one process sees it. Reads are free while no other process runs; changes are points. */
export function filesOf(
  machine: Machine,
  process: SimProcess,
  fault: DiskFault | undefined,
  dice: Dice,
  witness: Witness,
): FileSystem {
  const { disk, trace } = machine;
  let changes = 0;

  const look = async <T>(act: () => T): Promise<T> => {
    if (machine.isCrowded()) return machine.scheduler.after(process, delay(), act);
    return process.isDead() ? new Promise<never>(() => undefined) : act();
  };
  const delay = (): number => dice.fraction() * SLOWEST_CALL_MILLISECONDS;

  /** `half` is the effect of a call that is cut off in the middle, `failed` that of one that fails. */
  const change = async (
    what: string,
    path: string,
    act: () => void,
    { half, failed = half }: { half?: () => void; failed?: (() => void) | undefined } = {},
  ): Promise<void> => {
    await process.touch(
      delay(),
      () => {
        changes += 1;
        if (fault && (changes === fault.at || (changes > fault.at && fault.isLasting))) {
          failed?.();
          trace.note(`disk ${what} ${fault.code}`, path);
          throw failure(fault.code, path);
        }
        trace.note(`disk ${what}`, path);
        act();
        return true;
      },
      half,
    );
  };

  const writable = (path: string, inode: Inode): WritableFile => {
    const add = (text: string): void => {
      inode.bytes = Buffer.concat([inode.bytes, Buffer.from(text)]);
    };
    return {
      write: (text) => {
        witness(path, text);
        const part = text.slice(0, dice.below(text.length));
        return change("write", path, () => add(text), { half: () => add(part) });
      },
      sync: () =>
        change(
          "sync",
          path,
          () => {
            inode.synced = inode.bytes.length;
          },
          {
            failed: () => {
              // The system forgets that these pages were never written: a later sync will succeed.
              if (inode.synced < inode.bytes.length) inode.holes.push({ from: inode.synced, to: inode.bytes.length });
            },
          },
        ),
      close: () => look(() => undefined),
    };
  };

  const made = async (path: string, mode: number): Promise<WritableFile> => {
    const inode: Inode = { number: disk.newNumber(), bytes: Buffer.alloc(0), mode, synced: 0, holes: [] };
    await change("create", path, () => {
      checkFree(path);
      disk.change({ path, becomes: inode });
      witness(path, "");
    });
    return writable(path, inode);
  };

  const checkFree = (path: string): void => {
    if (disk.file(path) || disk.isFolder(path)) throw failure("EEXIST", path);
    if (!disk.isFolder(dirname(path))) throw failure("ENOENT", path);
  };

  const existing = (path: string): Inode => {
    const found = disk.file(path);
    if (!found) throw failure("ENOENT", path);
    return found;
  };

  const copied = async (from: string, to: string): Promise<void> => {
    const { bytes } = await look(() => existing(from));
    const put = (length: number): void => {
      checkFree(to);
      const number = disk.newNumber();
      const copy = { number, bytes: bytes.subarray(0, length), mode: 0o600, synced: length, holes: [] };
      disk.change({ path: to, becomes: copy });
    };
    const part = dice.below(bytes.length + 1);
    await change("copy", `${from} ${to}`, () => put(bytes.length), { half: () => put(part) });
  };

  return {
    read: (path) => look(() => existing(path).bytes),
    stream: (path) => pieces(() => look(() => existing(path).bytes)),
    list: (path) =>
      look(() => {
        if (!disk.isFolder(path)) throw failure("ENOENT", path);
        return disk.entries(path);
      }),
    stat: (path) =>
      look(() => {
        if (disk.isFolder(path)) return FOLDER;
        const found = disk.file(path);
        return found && statOf(found);
      }),
    realPath: (path) => look(() => path),
    makeDirectory: async (path) => {
      for (const folder of foldersTo(path)) {
        if (await look(() => disk.isFolder(folder))) continue;
        await change("mkdir", folder, () => disk.change({ path: folder, becomes: "folder" }));
      }
    },
    create: made,
    append: async (path) => writable(path, await look(() => existing(path))),
    copy: (from, to) => copied(from, to),
    rename: (from, to) =>
      change("rename", `${from} ${to}`, () => disk.change({ path: to, becomes: existing(from), from })),
    link: (from, to) =>
      change("link", `${from} ${to}`, () => {
        const inode = existing(from);
        checkFree(to);
        disk.change({ path: to, becomes: inode });
      }),
    remove: async (path) => {
      if (!(await look(() => disk.file(path)))) return;
      await change("remove", path, () => disk.change({ path, becomes: undefined }));
    },
    syncDirectory: (path) => change("sync-folder", path, () => disk.syncFolder(path)),
    freeBytes: () => look(() => BYTES_FREE),
  };
}

/** What every folder looks like. */
export const FOLDER: Stat = { kind: "directory", sizeBytes: 0, mode: 0o700, version: "" };

/** What the system says of a file: bytes are only added, so its length tells its versions apart. */
export function statOf({ number, bytes, mode }: Inode): Stat {
  return { kind: "file", sizeBytes: bytes.length, mode, version: `${number}-${bytes.length}` };
}

async function* pieces(read: () => Promise<Uint8Array>): AsyncIterable<Uint8Array> {
  yield await read();
}

function foldersTo(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...foldersTo(parent), path];
}

/** Without a stack: missing files are asked for all the time, and a stack that nobody reads costs more than the lookup. */
export function failure(code: string, path: string): Error {
  const kept = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const made = Object.assign(new Error(`${code}: ${path}`), { code });
  Error.stackTraceLimit = kept;
  return made;
}
