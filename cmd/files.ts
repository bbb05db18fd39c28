import { type Diagnostic, error, problem, Refusal } from "../lib/core/diagnostic.ts";
import { resolve } from "node:path";
import { errorCode, type FileSystem } from "../lib/core/file-system.ts";
import { linesOf } from "../lib/state/engines/local/lines.ts";

/** The lines of a file from the command line. Throws `Refusal` if it cannot be read or is damaged, as `damage` says. */
export async function* readLines(
  fs: FileSystem,
  cwd: string,
  path: string,
  damage: Parameters<typeof linesOf>[3],
): AsyncIterable<string> {
  try {
    yield* linesOf(fs.stream(resolve(cwd, path)), path, "keep", damage);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal([cannotRead(path, cause)], 1, { cause });
  }
}

/** Why a file from the command line cannot be read. */
export function cannotRead(path: string, cause: unknown): Diagnostic {
  const code = errorCode(cause);
  return error(problem("cannot-read", { what: path, reason: REASONS.get(code ?? "") ?? code ?? String(cause) }));
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "permission denied"],
  ["EFTYPE", "it is not a regular file"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of the path is not a folder"],
]);
