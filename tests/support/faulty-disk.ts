import type { FileSystem, WritableFile } from "../../lib/core/file-system.ts";

/** Thrown where the process dies, so that nothing happens after it. */
export class Crash extends Error {
  constructor() {
    super("the process died here");
    this.name = "Crash";
  }
}

/** Which of the calls that change the disk fails, counted from 1, and how: with a system error, or because the process dies. */
export interface Fault {
  readonly failAt: number;
  readonly code: "EIO" | "ENOSPC" | "EROFS" | "EACCES" | "crash";
}

/** A disk on which one call fails. */
export interface FaultyDisk extends FileSystem {
  /** Whether the fault has happened. If not, the run made fewer calls. */
  hasStruck(): boolean;
}

/** Wraps a disk. A failing write leaves half of its text behind, as on a full disk or in a killed process. */
export function faultyDisk(real: FileSystem, { failAt, code }: Fault): FaultyDisk {
  let calls = 0;

  async function change<T>(action: () => Promise<T>, halfway: () => Promise<void> = async () => undefined): Promise<T> {
    calls += 1;
    if (calls < failAt || (calls > failAt && code !== "crash")) return action();
    if (calls === failAt) await halfway();
    throw code === "crash" ? new Crash() : Object.assign(new Error(`${code}: on purpose`), { code });
  }

  function look<T>(action: () => Promise<T>): Promise<T> {
    return code === "crash" && calls >= failAt ? Promise.reject(new Crash()) : action();
  }

  function wrapped(file: WritableFile): WritableFile {
    return {
      write: (text) =>
        change(
          () => file.write(text),
          () => file.write(text.slice(0, text.length / 2)),
        ),
      sync: () => change(() => file.sync()),
      // Not counted, because a dying process closes its handles too.
      close: () => file.close(),
    };
  }

  return {
    ...real,
    read: (path, limitBytes) => look(() => real.read(path, limitBytes)),
    list: (path) => look(() => real.list(path)),
    stat: (path) => look(() => real.stat(path)),
    makeDirectory: (path, mode) => change(() => real.makeDirectory(path, mode)),
    create: async (path, mode) => wrapped(await change(() => real.create(path, mode))),
    append: async (path) => wrapped(await change(() => real.append(path))),
    copy: (from, to) => change(() => real.copy(from, to)),
    rename: (from, to) => change(() => real.rename(from, to)),
    link: (from, to) => change(() => real.link(from, to)),
    remove: (path) => change(() => real.remove(path)),
    syncDirectory: (path) => change(() => real.syncDirectory(path)),
    hasStruck: () => calls >= failAt,
  };
}
