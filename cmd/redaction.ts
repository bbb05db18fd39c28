import { StringDecoder } from "node:string_decoder";
import type { TextFilter } from "../lib/core/redaction.ts";
import type { Context } from "./context.ts";

/** The lines of a file without secrets: for everything that a command writes for people to read. */
export function* redactedLines({ redaction }: Context, lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield redaction.redact(line);
}

/**
 * Lets everything that anybody writes to a stream go through a filter; gives what writes the rest that it held back, to
 * be called when the process ends. The stream itself stays what it is, a terminal with its width for instance.
 */
export function filterWrites(stream: Pick<NodeJS.WriteStream, "write">, filter: TextFilter): () => void {
  const write = stream.write.bind(stream);
  const decoder = new StringDecoder("utf8");
  type Done = (failure?: Error | null) => void;
  stream.write = (piece: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    const text = typeof piece === "string" ? piece : decoder.write(Buffer.from(piece));
    return write(filter.write(text), "utf8", typeof encoding === "function" ? encoding : done);
  };
  return () => {
    const rest = filter.write(decoder.end()) + filter.end();
    if (rest !== "") write(rest);
  };
}
