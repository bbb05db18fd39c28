import { type BigIntStats, constants, readdirSync } from "node:fs";
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  stat,
  statfs,
  unlink,
} from "node:fs/promises";
import { resolve } from "node:path";
import { errorCode, type Entry, type FileSystem, type Stat, type WritableFile } from "../core/file-system.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
const LEAST_PIECE_BYTES = 1024;
const MOST_PIECE_BYTES = 256 * 1024;

/**
 * This machine's disk. With `refuse`, it does not follow a symbolic link at the end of a path (`ELOOP`): states use
 * that disk, so that no link can redirect them.
 */
export function disk(links: "follow" | "refuse" = "follow"): FileSystem {
  const noFollow = links === "refuse" ? O_NOFOLLOW : 0;
  // Without O_NONBLOCK, opening a named pipe would block until a process opens its other end.
  const readFlags = O_RDONLY | O_NONBLOCK | noFollow;
  const look = (path: string): Promise<BigIntStats> => (links === "refuse" ? lstat : stat)(path, { bigint: true });
  return {
    read: (path, limitBytes) => readAll(path, readFlags, limitBytes),
    stream: (path) => pieces(path, readFlags),
    list: async (path) => (await readdir(path, { withFileTypes: true })).map(entry).sort(byName),
    namesNow: (path) => readdirSync(path),
    stat: async (path) => {
      const found = await orUndefined(() => look(path));
      return found && statOf(found);
    },
    realPath: (path) => realpath(path),
    makeDirectory: async (path, mode) => {
      await mkdir(path, { recursive: true, mode });
    },
    create: async (path, mode) => writable(await open(path, O_WRONLY | O_CREAT | O_EXCL, mode)),
    append: async (path) => writable((await openRegular(path, O_WRONLY | O_APPEND | O_NONBLOCK | noFollow)).file),
    copy: (from, to) => copy(pieces(from, readFlags), to),
    rename: (from, to) => rename(from, to),
    link: (from, to) => link(from, to),
    remove: async (path) => {
      await orUndefined(() => unlink(path));
    },
    syncDirectory,
    freeBytes,
  };
}

function statOf(found: BigIntStats): Stat {
  const { ino, size, mode, mtimeNs } = found;
  return {
    kind: kindOf(found),
    sizeBytes: Number(size),
    mode: Number(mode) & 0o7777,
    version: `${ino}-${size}-${mtimeNs}`,
  };
}

/** The disk as seen by a process that runs in this folder: relative paths start there. */
export function diskFrom(folder: string): FileSystem {
  const fs = disk();
  const at = (path: string): string => resolve(folder, path);
  return {
    ...fs,
    read: (path, limitBytes) => fs.read(at(path), limitBytes),
    stream: (path) => fs.stream(at(path)),
    list: (path) => fs.list(at(path)),
    stat: (path) => fs.stat(at(path)),
    realPath: (path) => fs.realPath(at(path)),
    makeDirectory: (path, mode) => fs.makeDirectory(at(path), mode),
    create: (path, mode) => fs.create(at(path), mode),
    append: (path) => fs.append(at(path)),
    copy: (from, to) => fs.copy(at(from), at(to)),
    rename: (from, to) => fs.rename(at(from), at(to)),
    link: (from, to) => fs.link(at(from), at(to)),
    remove: (path) => fs.remove(at(path)),
    syncDirectory: (path) => fs.syncDirectory(at(path)),
    namesNow: (path) => readdirSync(at(path)),
    freeBytes: (path) => freeBytes(at(path)),
  };
}

/** Opens a regular file. Devices and pipes are refused: reading them may never end. */
async function openRegular(path: string, flags: number): Promise<{ file: FileHandle; sizeBytes: number }> {
  const file = await open(path, flags);
  const found = await file.stat();
  if (found.isFile()) return { file, sizeBytes: found.size };
  await file.close();
  throw failure(found.isDirectory() ? "EISDIR" : "EFTYPE", `${path} is not a regular file`);
}

async function readAll(path: string, flags: number, limitBytes: number): Promise<Uint8Array> {
  const found: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces(path, flags)) {
    length += piece.length;
    // Counts while reading, because the length that the system reports may be wrong.
    if (length > limitBytes) throw failure("EFBIG", `${path} is longer than ${limitBytes} bytes`);
    found.push(piece);
  }
  return Buffer.concat(found);
}

async function* pieces(path: string, flags: number): AsyncIterable<Uint8Array> {
  const { file, sizeBytes } = await openRegular(path, flags);
  // Most files are small. Large buffers for them would make the collector run again and again.
  const firstBytes = Math.min(MOST_PIECE_BYTES, Math.max(LEAST_PIECE_BYTES, sizeBytes + 1));
  try {
    let free = Buffer.allocUnsafe(firstBytes);
    for (;;) {
      const { bytesRead } = await file.read(free, 0, free.length);
      if (bytesRead === 0) return;
      yield free.subarray(0, bytesRead);
      free = bytesRead < free.length ? free.subarray(bytesRead) : Buffer.allocUnsafe(MOST_PIECE_BYTES);
    }
  } finally {
    await file.close();
  }
}

async function copy(from: AsyncIterable<Uint8Array>, to: string): Promise<void> {
  const file = await open(to, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    for await (const piece of from) await file.appendFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

function writable(file: FileHandle): WritableFile {
  return {
    write: (text) => file.appendFile(text, "utf8"),
    sync: () => file.sync(),
    close: () => file.close(),
  };
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a folder, and its renames are durable without that.
  if (process.platform === "win32") return;
  const folder = await open(path, O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

function entry(found: { name: string; isFile(): boolean; isDirectory(): boolean }): Entry {
  return { name: found.name, kind: kindOf(found) };
}

function kindOf(found: Pick<BigIntStats, "isFile" | "isDirectory">): Entry["kind"] {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "directory" : "other";
}

function byName(left: Entry, right: Entry): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

async function orUndefined<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
