import { StringDecoder } from "node:string_decoder";
import { openRedaction, type Redaction, type TextFilter } from "../lib/core/redaction.ts";
import { Secret } from "../lib/core/secret.ts";
import type { Context } from "./context.ts";
import { PASSPHRASE, PREVIOUS_PASSPHRASE } from "../lib/real/sealing.ts";

/** The variables that hold credentials, whether a command uses them or not. */
const CREDENTIALS = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"];

/** The e-mail that belongs to a key says who calls and opens nothing: it may stand in a description or a report. */
const EMAIL = "CLOUDFLARE_EMAIL";

/** A redaction that knows the credentials of the environment from the start, also those that will be refused. */
export function redactionOf(env: Context["env"]): Redaction {
  const redaction = openRedaction();
  const email = env[EMAIL] ?? "";
  // What is no address there was put under the wrong name, and may well be the key.
  const misplaced = email.includes("@") ? [] : [email];
  for (const value of [...CREDENTIALS.flatMap((name) => env[name] ?? []), ...misplaced]) {
    // A header that was copied whole (`Bearer …`) holds the token behind a space.
    for (const part of [value, ...value.split(/\s+/)]) redaction.learn(new Secret(part));
  }
  // Of a passphrase each word by itself is a word like any other.
  for (const value of [PASSPHRASE, PREVIOUS_PASSPHRASE].flatMap((name) => env[name] ?? []))
    redaction.learn(new Secret(value));
  return redaction;
}

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
