import { resolve } from "node:path";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import { errorCode, type FileSystem, type WritableFile } from "../lib/core/file-system.ts";
import { linesOf } from "../lib/state/local/lines.ts";
import { nameBeside, type Processes, PROCESSES, removeLeft } from "./beside.ts";

/**
 * Writes a file in one go: beside the target first, then renamed over it, so that a crash leaves the old one whole; what
 * a writer that was killed left beside it goes. A new
 * file is for its owner only, one that exists keeps its mode; what is no regular file (a pipe) is written into. Throws
 * `Refusal` where the disk refuses.
 */
export async function writeLines(
  fs: FileSystem,
  path: string,
  lines: Iterable<string>,
  processes: Processes = PROCESSES,
): Promise<void> {
  try {
    const found = await fs.stat(path);
    if (found?.kind === "other") return await writeInto(await fs.append(path, found.mode), lines);
    const target = found ? await fs.realPath(path) : path;
    await removeLeft(fs, target, processes);
    const beside = nameBeside(target, processes);
    try {
      await writeInto(await fs.create(beside, (found?.mode ?? 0o600) & 0o777), lines);
      await fs.rename(beside, target);
    } catch (cause) {
      await fs.remove(beside).catch(() => undefined);
      throw cause;
    }
  } catch (cause) {
    throw new Refusal([cannot("write", path, cause)], 1, { cause });
  }
}

async function writeInto(file: WritableFile, lines: Iterable<string>): Promise<void> {
  try {
    for (const chunk of chunks(lines)) await file.write(chunk);
    // A pipe has no disk behind it that could be waited for.
    await file.sync().catch((cause: unknown) => {
      if (errorCode(cause) !== "EINVAL" && errorCode(cause) !== "ENOTSUP") throw cause;
    });
  } finally {
    await file.close();
  }
}

/** Lines are joined into pieces of this many, so that a large plan is not a write for each line. */
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

const PLAN_FILE = { name: "the plan file", remedy: "make the plan again with: zoneform plan --out FILE" };

/** The lines of a plan file. Throws `Refusal` where it cannot be read. */
export async function* readLines(fs: FileSystem, cwd: string, path: string): AsyncIterable<string> {
  try {
    yield* linesOf(fs.stream(resolve(cwd, path)), path, "keep", PLAN_FILE);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal([cannot("read", path, cause)], 1, { cause });
  }
}

function cannot(what: "read" | "write", path: string, cause: unknown): ReturnType<typeof error> {
  const code = errorCode(cause);
  const missing = what === "read" ? "there is no such file" : "there is no such folder";
  const reason = code === "ENOENT" ? missing : (REASONS[code ?? ""] ?? code ?? String(cause));
  return error({
    code: `cannot-${what}`,
    message: `cannot ${what} ${path}: ${reason}`,
    remedy: code === "ENOSPC" || code === "EFBIG" ? "make room or choose another path" : "check the path",
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is no folder",
  EFBIG: "a file may not become that large here (ulimit -f)",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
};
