import { CODES, problem } from "../../../core/diagnostic.ts";
import { StateError } from "../../error.ts";

/** The remedy for lines that may be readable with another passphrase. */
export const SET_PASSPHRASE: string = CODES["state-sealed"].remedy;

/** Lines are encrypted, and no passphrase is set. */
export function sealedFault(where: string): StateError {
  return new StateError(problem("state-sealed", { where }));
}

/** Lines are not encrypted, but should be. */
export function plainFault(where: string): StateError {
  return new StateError(problem("state-not-sealed", { where }));
}

/** Lines are encrypted, and none can be decrypted. */
export function notDecryptedFault(where: string): StateError {
  return new StateError(problem("state-not-opened", { where }));
}

/** The last line of a journal can be decrypted, but its line end is overwritten. */
export function lineEndFault(where: string, line: number): StateError {
  const message = `the journal is damaged: line ${line} has no line end`;
  return new StateError(problem("journal-damaged", { message }, { at: { file: where, line, column: 1 } }));
}

const FAULTS: ReadonlySet<string> = new Set(["state-sealed", "state-not-sealed", "state-not-opened"]);

/** Whether the passphrase is why something cannot be read; damage looks like that only if it hits every line. */
export function isSealFault(thrown: unknown): thrown is StateError {
  return thrown instanceof StateError && FAULTS.has(thrown.diagnostic.code);
}
