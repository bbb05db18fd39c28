import { StateError } from "../error.ts";
import { REPAIR } from "../remedy.ts";

/** What to do about lines that may be whole for whoever has their passphrase. */
export const SET_PASSPHRASE =
  "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with; nothing was changed";

/** Lines are encrypted, and there is nothing to open them with. */
export function sealedFault(where: string): StateError {
  return new StateError({
    code: "state-sealed",
    message: `${where} is encrypted, and no passphrase is set`,
    remedy: SET_PASSPHRASE,
  });
}

/** Lines are not encrypted, and should be. */
export function plainFault(where: string): StateError {
  return new StateError({
    code: "state-not-sealed",
    message: `${where} is not encrypted, and a passphrase is set`,
    remedy: "if you trust the file, encrypt it: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt",
  });
}

/** There are encrypted lines, and none of them opens. */
export function notOpenedFault(where: string): StateError {
  return new StateError({
    code: "state-not-opened",
    message: `${where} cannot be decrypted: the passphrase is wrong, or somebody changed the file`,
    remedy: SET_PASSPHRASE,
  });
}

/** The last line of a journal opens, and something else stands in the place of its line end. */
export function lineEndFault(where: string, line: number): StateError {
  return new StateError({
    code: "journal-damaged",
    message: `the journal is damaged: line ${line} has no line end`,
    remedy: REPAIR,
    at: { file: where, line, column: 1 },
  });
}

const FAULTS: ReadonlySet<string> = new Set(["state-sealed", "state-not-sealed", "state-not-opened"]);

/** Whether it is the passphrase that keeps something from being read; damage is met as this only where every line is hit. */
export function isSealFault(thrown: unknown): thrown is StateError {
  return thrown instanceof StateError && FAULTS.has(thrown.diagnostic.code);
}
