import { type Field, optionalRecord, record } from "../core/codec.ts";
import { text } from "../core/decode.ts";

/** Who approved what a run carried out, and how; the hash that was approved stands beside it. */
export interface RunApproval {
  /** The user and the machine that started the run: `ops@runner-7`. */
  readonly by: string;
  /** `saved plan`, `--expect`, `--approve`, `--auto-approve`, `prompt`, or `library` where a program called `apply`. */
  readonly how: string;
}

/** An approval, where the header of a journal or of a run's record has one. */
export const APPROVED: Field<RunApproval | undefined> = optionalRecord(record<RunApproval>({ by: text, how: text }));
