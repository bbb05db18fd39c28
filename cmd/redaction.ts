import { StringDecoder } from "node:string_decoder";
import type { Redaction } from "../lib/core/redaction.ts";
import type { Context } from "./context.ts";

/** The lines of a file without secrets: for everything that a command writes for people to read. */
export function* redactedLines({ redaction }: Context, lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield redaction.redact(line);
}

/**
 * Removes secrets from everything that anybody writes to a stream. Lines are redacted as a whole: the beginning of one,
 * such as a question, waits only for what is written in the same turn. Returns a function that writes what still waits,
 * to be called when the process ends. The stream itself stays what it is, a terminal with its width for instance.
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
