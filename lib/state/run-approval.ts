import { optionalObject, text } from "../core/decode.ts";
import type { JsonObject } from "../core/json.ts";

/** Who approved what a run carried out, and how; the hash that was approved stands beside it. */
export interface RunApproval {
  /** The user and the machine that started the run: `ops@runner-7`. */
  readonly by: string;
  /** `saved plan`, `--expect`, `--approve`, `--auto-approve`, `prompt`, or `library` where a program called `apply`. */
  readonly how: string;
}

/** Reads an approval, where the header of a journal or of a run's record has one. Throws `DecodeError`. */
export function decodeApproved(from: JsonObject): { readonly approved?: RunApproval } {
  const approved = optionalObject(from, "approved");
  return approved ? { approved: { by: text(approved, "by"), how: text(approved, "how") } } : {};
}
