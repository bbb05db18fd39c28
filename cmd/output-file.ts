import { problem, refusal } from "../lib/core/diagnostic.ts";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, rename, unlink } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep, basename, dirname } from "node:path";
import { errorCode, type FileSystem } from "../lib/core/file-system.ts";
import { type Context, print } from "./context.ts";
import { disk } from "../lib/real/disk.ts";
import { randomUUID } from "node:crypto";

/**
 * The mode of files that a command makes: plans, reports and exports contain customers' names, so only their owner may
 * read them.
 */
const OWNER_ONLY = 0o600;

/**
 * Writes a file that the user named. Only its owner may read it, even if others could read the previous one. The name
 * of a standard stream (`/dev/stdout`) means that stream; pipes and devices are written into. Throws `Refusal` for a
 * symbolic link, and if the disk refuses.
 */
export async function writeOutput(
  context: Pick<Context, "cwd" | "stdout" | "stderr">,
  file: string,
  lines: Iterable<string>,
): Promise<void> {
  const path = resolve(context.cwd, file);
  const stream = STDOUT.has(path) ? context.stdout : STDERR.has(path) ? context.stderr : undefined;
  if (stream) for (const line of lines) print(stream, line);
  else await asRefusal(file, () => writeFileAt({ cwd: context.cwd, file, path, mode: OWNER_ONLY }, chunks(lines)));
}

/** Atomically replaces a file of the project; its mode stays. Throws `Refusal` like `writeOutput`. */
export async function replaceFile(cwd: string, path: string, text: string): Promise<void> {
  await asRefusal(path, async () => {
    const { mode } = await lstat(path);
    await writeFileAt({ cwd, file: relative(cwd, path), path, mode: mode & 0o777 }, [text]);
  });
}

const STDOUT: ReadonlySet<string> = new Set(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);
const STDERR: ReadonlySet<string> = new Set(["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"]);

/** A file that a shell opened for us, such as `>(command)`: a link of the system, which no repository can contain. */
const OPENED = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

interface Target {
  readonly cwd: string;
  /** As the user wrote it. */
  readonly file: string;
  readonly path: string;
  readonly mode: number;
}

async function writeFileAt(target: Target, pieces: Iterable<string>): Promise<void> {
  const { path } = target;
  if (OPENED.test(path)) return writeInto(await open(path, constants.O_WRONLY | constants.O_APPEND), pieces);
  await refuseLinks(target);
  const found = await orUndefined(() => lstat(path));
  if (found?.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: "EISDIR" });
  if (found === undefined || found.isFile()) return replace(target, pieces);
  await writeInto(await openDevice(path), pieces);
}

/**
 * Written beside the target, flushed, then renamed over it: a crash leaves the old file whole. Also removes what killed
 * writers left beside it.
 */
async function replace({ path, mode }: Target, pieces: Iterable<string>): Promise<void> {
  await removeLeft(disk(), path);
  const beside = nameBeside(path);
  const file = await open(beside, "wx", mode);
  try {
    await file.chmod(mode);
    await writeInto(file, pieces);
    await rename(beside, path);
  } catch (cause) {
    await unlink(beside).catch(() => undefined);
    throw cause;
  }
}

/** A pipe without a reader is refused at once (`ENXIO`): opening it for writing would wait for a reader. */
async function openDevice(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const tried = await open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    // Without O_NONBLOCK from here on, so that writes wait for a full pipe.
    return await open(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
  } finally {
    await tried.close();
  }
}

async function writeInto(file: FileHandle, pieces: Iterable<string>): Promise<void> {
  try {
    for (const chunk of pieces) await file.appendFile(chunk, "utf8");
    // A pipe or a device has no disk to flush to.
    await file.sync().catch((cause: unknown) => {
      if (errorCode(cause) !== "EINVAL" && errorCode(cause) !== "ENOTSUP") throw cause;
    });
  } finally {
    await file.close();
  }
}

/** How many lines to join for one write, so that a large plan does not need a write for each line. */
const LINES_PER_WRITE = 1000;

function* chunks(lines: Iterable<string>): Iterable<string> {
  let piece: string[] = [];
  for (const line of lines) {
    piece.push(line, "\n");
    if (piece.length < LINES_PER_WRITE * 2) continue;
    yield piece.join("");
    piece = [];
  }
  yield piece.join("");
}

/**
 * Throws `Refusal` for a symbolic link at the end of the path, or between it and the working folder: a repository could
 * contain one that leads the output to any other file. Links above the working folder belong to the machine.
 */
async function refuseLinks({ cwd, file, path }: Target): Promise<void> {
  for (const place of placesOf(cwd, path)) {
    const found = await orUndefined(() => lstat(place));
    if (!found?.isSymbolicLink()) continue;
    const link = relative(cwd, place);
    const name = link.startsWith("..") ? place : link;
    throw refusal(problem("output-link", { file, name, target: await readlink(place) }));
  }
}

function placesOf(cwd: string, path: string): readonly string[] {
  const inside = relative(cwd, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside)) return [path];
  const parts = inside.split(sep);
  return parts.map((_, index) => join(cwd, ...parts.slice(0, index + 1)));
}

async function orUndefined<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

async function asRefusal(file: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    const remedy = code === "ENOSPC" || code === "EFBIG" ? "make room or choose another path" : "";
    const values = { file, reason: REASONS.get(code) ?? code };
    throw refusal(problem("cannot-write", values, { remedy }), 1, { cause });
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such folder"],
  ["EACCES", "permission denied"],
  ["EBUSY", "it is mounted or in use, and cannot be replaced"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of the path is no folder"],
  ["EFBIG", "a file may not become that large here (ulimit -f)"],
  ["ENOSPC", "the disk is full"],
  ["ENXIO", "no process reads from this pipe"],
  ["EPIPE", "no process reads from this pipe any more"],
  ["EROFS", "the disk is read-only"],
]);

/** Looks up processes of this machine that may have left files behind. */
export interface Processes {
  readonly own: number;
  readonly isRunning: (id: number) => boolean;
}

/** The real ones. */
export const PROCESSES: Processes = {
  own: process.pid,
  isRunning: (id) => {
    try {
      process.kill(id, 0);
      return true;
    } catch (error) {
      // Any other error, such as EPERM, means that the process exists.
      return errorCode(error) !== "ESRCH";
    }
  },
};

/** A name beside a file for its next content, until that takes its place. It names the writing process. */
export function nameBeside(path: string, { own }: Processes = PROCESSES): string {
  return `${path}.${own}-${randomUUID()}.new`;
}

/** Removes what killed writers of this file left beside it; the file of a live writer stays. */
async function removeLeft(
  fs: Pick<FileSystem, "list" | "remove">,
  path: string,
  { isRunning }: Processes = PROCESSES,
): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  for (const { name, kind } of await fs.list(folder)) {
    const [, writer] = name.startsWith(start) ? (LEFT.exec(name.slice(start.length)) ?? []) : [];
    if (kind === "file" && writer !== undefined && !isRunning(Number(writer))) await fs.remove(`${folder}/${name}`);
  }
}

const LEFT = /^([1-9]\d{0,9})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;
