import { StateError } from "../error.ts";

/** Lines are encrypted, and there is nothing to open them with. */
export function sealedFault(where: string): StateError {
  return new StateError({
    code: "state-sealed",
    message: `${where} is encrypted, and no passphrase is set`,
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with",
  });
}

/** Lines are not encrypted, and should be. */
export function plainFault(where: string): StateError {
  return new StateError({
    code: "state-not-sealed",
    message: `${where} is not encrypted, and a passphrase is set`,
    remedy: "if it may be trusted: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt",
  });
}

/** No line opens. */
export function notOpenedFault(where: string): StateError {
  return new StateError({
    code: "state-not-opened",
    message: `${where} cannot be decrypted: the passphrase is another one, or somebody changed the file`,
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with; nothing was changed",
  });
}

const FAULTS: ReadonlySet<string> = new Set(["state-sealed", "state-not-sealed", "state-not-opened"]);

/** Whether it is the passphrase that keeps something from being read, and no damage. */
export function isSealFault(thrown: unknown): thrown is StateError {
  return thrown instanceof StateError && FAULTS.has(thrown.diagnostic.code);
}
