import { type Diagnostic, problem, warning } from "../lib/core/diagnostic.ts";
import { StringDecoder } from "node:string_decoder";
import type { Redaction } from "../lib/core/redaction.ts";
import { type Context, errorExit } from "./context.ts";
import { EXIT } from "../lib/core/exit-code.ts";
import { errorCode } from "../lib/core/file-system.ts";

/** Lines without secrets, for everything that a command writes for people to read. */
export function* redactedLines({ redaction }: Context, lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield redaction.redact(line);
}

/**
 * Removes secrets from everything that is written to a stream. Lines are redacted as a whole: an unfinished line, such
 * as a question, waits only until the end of the current turn. Returns a function that writes what still waits; call it
 * when the process ends. The stream stays what it is, for instance a terminal with a width.
 */
export function filterWrites(
  stream: Pick<NodeJS.WriteStream, "write">,
  { redact }: Pick<Redaction, "redact">,
): () => void {
  const write = stream.write.bind(stream);
  const decoder = new StringDecoder("utf8");
  let waiting = "";
  const flush = (): void => {
    if (waiting !== "") write(redact(waiting));
    waiting = "";
  };
  type Done = (failure?: Error | null) => void;
  stream.write = (piece: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    const text = waiting + (typeof piece === "string" ? piece : decoder.write(Buffer.from(piece)));
    const end = text.lastIndexOf("\n") + 1;
    if (end < text.length && waiting === "") setImmediate(flush);
    waiting = text.slice(end);
    return write(redact(text.slice(0, end)), "utf8", typeof encoding === "function" ? encoding : done);
  };
  return () => {
    waiting += decoder.end();
    flush();
  };
}

/** The part of a process to watch. */
type Watched = Pick<NodeJS.Process, "stdout" | "stderr" | "on" | "exitCode">;

/** Errors of a reader that closed early, as `head` does: no error of ours. */
const GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);

/**
 * Keeps a command running if its output cannot be written: an apply must not stop for that. The loss is reported once
 * on standard error, and the exit code is then not that of success. A more specific code, such as that of drift, stays.
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

/** The warning for a credential that is not hidden; `name` is its variable, or describes it. */
export function notHidden(name: string): Diagnostic {
  return warning(problem("credential-not-hidden", { name }));
}
