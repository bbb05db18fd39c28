/** One entry of a folder. */
export interface Entry {
  readonly name: string;
  readonly kind: "file" | "directory" | "other";
}

/** The system's description of a file or folder. */
export interface Stat {
  readonly kind: Entry["kind"];
  readonly sizeBytes: number;
  readonly mode: number;
  /** Changes with each write, and if another file gets this name; all names of one file have the same. */
  readonly version: string;
}

/** A file that is open for appending. */
export interface WritableFile {
  /** Appends the whole text, in UTF-8. */
  write(text: string): Promise<void>;
  /** Returns once the bytes are on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The disk as a parameter. Paths are absolute or relative to the process; errors are Node's, with their `code`
 * (`ENOENT`, `EEXIST`, `ENOSPC`, `EROFS`, …), so that callers can explain them to the user.
 */
export interface FileSystem {
  /** The whole file as bytes; throws if it is longer than the limit. Reads only regular files. */
  read(path: string, limitBytes: number): Promise<Uint8Array>;
  /** The file in chunks, for files that need not fit into memory. */
  stream(path: string): AsyncIterable<Uint8Array>;
  /** The entries of a folder, by name. */
  list(path: string): Promise<readonly Entry[]>;
  /**
   * The names in a folder, synchronously: for a small folder that is read often, where handing the read to another
   * thread costs more than the read. Absent if the disk cannot do that.
   */
  namesNow?(path: string): readonly string[];
  /** Undefined if nothing is there. Follows symbolic links. */
  stat(path: string): Promise<Stat | undefined>;
  /** The path with every symbolic link resolved. */
  realPath(path: string): Promise<string>;
  /** Makes a folder and its parents; no error if it exists. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Makes a new file; `EEXIST` if one is there, also a symbolic link. */
  create(path: string, mode: number): Promise<WritableFile>;
  /** Opens a file for appending; `ENOENT` if there is none. Writes go to that file even after another file gets its name. */
  append(path: string): Promise<WritableFile>;
  /** Copies a file byte for byte to a new one that only this user can read, and flushes it. */
  copy(from: string, to: string): Promise<void>;
  /** Replaces the target atomically. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; `EEXIST` if that name is taken. */
  link(from: string, to: string): Promise<void>;
  /** Deletes a file; no error if it does not exist. */
  remove(path: string): Promise<void>;
  /** Makes renames, links and deletions in a folder survive a power cut. */
  syncDirectory(path: string): Promise<void>;
  /** The bytes that this user may still write on the path's disk; absent if the system does not say. */
  freeBytes?(path: string): Promise<number>;
}

/** The code of a Node error such as `ENOENT`, or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The disk as if these files had other texts; they are named by their real paths. */
export function withTexts<Disk extends Pick<FileSystem, "read" | "stream" | "realPath">>(
  disk: Disk,
  texts: ReadonlyMap<string, string>,
): Disk {
  const bytesOf = async (path: string): Promise<Buffer | undefined> => {
    const text = texts.get(await disk.realPath(path).catch(() => path));
    return text === undefined ? undefined : Buffer.from(text);
  };
  return {
    ...disk,
    read: async (path, limitBytes) => (await bytesOf(path)) ?? disk.read(path, limitBytes),
    stream: async function* (path) {
      const bytes = await bytesOf(path);
      if (bytes) yield bytes;
      else yield* disk.stream(path);
    },
  };
}
