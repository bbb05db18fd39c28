import { type Field, optionalRecord, record } from "../core/codec.ts";
import { text } from "../core/decode.ts";

/** Who approved what a run applied, and how; the approved hash is stored beside it. */
export interface RunApproval {
  /** The user and the machine that started the run: `ops@runner-7`. */
  readonly by: string;
  /** `saved plan`, `--expect`, `--approve`, `--auto-approve`, `prompt`, or `library` if a program called `apply`. */
  readonly how: string;
}

/** The approval in the header of a journal or of a run's record, if there is one. */
export const APPROVED: Field<RunApproval | undefined> = optionalRecord(record<RunApproval>({ by: text, how: text }));
