/** One entry of a folder. */
export interface Entry {
  readonly name: string;
  readonly kind: "file" | "directory" | "other";
}

/** A file that is open for writing at its end. */
export interface WritableFile {
  /** Writes all of the text, in UTF-8, at the end. */
  write(text: string): Promise<void>;
  /** Returns once the bytes are on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The disk as a parameter. Paths are absolute or relative to the process; errors are Node's, with their `code`
 * (`ENOENT`, `EEXIST`, `ENOSPC`, `EROFS`, …), so that callers say what failed in the user's words.
 */
export interface FileSystem {
  /** The whole file as bytes; throws when it is longer than the limit. Only regular files are read. */
  read(path: string, limitBytes: number): Promise<Uint8Array>;
  /** The file in pieces, for files that need not fit into memory. */
  stream(path: string): AsyncIterable<Uint8Array>;
  /** The entries of a folder, by name. */
  list(path: string): Promise<readonly Entry[]>;
  /**
   * The names in a folder, at once: for a small folder that is looked into often, where handing that to another thread costs
   * more than the look. Absent where a folder cannot be read at once.
   */
  namesNow?(path: string): readonly string[];
  /** Undefined where nothing is there. Follows symbolic links. */
  stat(
    path: string,
  ): Promise<{ readonly kind: Entry["kind"]; readonly sizeBytes: number; readonly mode: number } | undefined>;
  /** The path with every symbolic link resolved. */
  realPath(path: string): Promise<string>;
  /** Makes a folder and those above it; no error where it exists. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Makes a new file; `EEXIST` where one is there, a symbolic link included. */
  create(path: string, mode: number): Promise<WritableFile>;
  /** Opens a file at its end; `ENOENT` where there is none. What is written stays in that file, also once its name is another's. */
  append(path: string): Promise<WritableFile>;
  /** Copies a file to a new one, byte for byte, readable by this user alone, and flushes it. */
  copy(from: string, to: string): Promise<void>;
  /** Replaces the target at once. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; `EEXIST` where that name is taken. */
  link(from: string, to: string): Promise<void>;
  /** Removes a file; no error where it is gone. */
  remove(path: string): Promise<void>;
  /** Makes renames, links and removals in a folder last through a power cut. */
  syncDirectory(path: string): Promise<void>;
  /** The bytes that this user may still write on the disk of the path; absent where that is not to be known. */
  freeBytes?(path: string): Promise<number>;
}

/** The code of a Node error such as `ENOENT`, or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
