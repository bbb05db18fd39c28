import { EXIT } from "../lib/core/exit-code.ts";
import { errorCode } from "../lib/core/file-system.ts";
import { type Context, errorExit } from "./context.ts";

/** What of a process is watched. */
type Watched = Pick<NodeJS.Process, "stdout" | "stderr" | "on" | "exitCode">;

/** A reader that went away early, as `head` does: no error of ours. */
const GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);

/**
 * Keeps what the command does going where its output cannot be written: an apply in its middle has more to do than to
 * print. That output was lost is said once, on standard error, and by an exit code that is not that of success. A code
 * that says more, such as drift, stays.
 */
export function watchOutput(watched: Watched, done: Context["done"]): void {
  const lost = new Set<NodeJS.WriteStream>();
  for (const stream of [watched.stdout, watched.stderr]) {
    stream.on("error", (cause: Error) => {
      const code = errorCode(cause);
      if (GONE.has(code) || lost.has(stream)) return;
      lost.add(stream);
      if (stream === watched.stdout) watched.stderr.write(said(code, cause));
    });
  }
  watched.on("exit", () => {
    const code = watched.exitCode ?? EXIT.done;
    if (lost.size > 0 && (code === EXIT.done || code === EXIT.changes)) watched.exitCode = errorExit({ done });
  });
}

const LOST = "output-lost";

function said(code: string | undefined, cause: Error): string {
  const reason = REASONS.get(code ?? "") ?? code ?? cause.message;
  return (
    `error: standard output cannot be written: ${reason} [${LOST}]\n` +
    "  redirect it or free disk space; everything else still runs\n"
  );
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "no space left on the device"],
  ["EFBIG", "a file may not become that large here (ulimit -f)"],
  ["EIO", "the terminal or the disk behind it is gone"],
  ["EROFS", "the disk is read-only"],
]);
