import { type Diagnostic, type DiagnosticDetails, error, problem, Refusal, topOf } from "../core/diagnostic.ts";
import { defined, type JsonObject } from "../core/json.ts";

/**
 * A state, a journal or a lock that cannot be read, trusted or written. It says what is wrong, where, and what to do.
 * Never treat it as "there is no state": that would mean "create everything".
 */
export class StateError extends Refusal {
  readonly diagnostic: Diagnostic;
  /** Whether it concerns the place of all states, not one state. */
  readonly isOfThePlace: boolean;

  constructor(details: DiagnosticDetails, { isOfThePlace = false, ...options }: StateErrorOptions = {}) {
    const diagnostic = error(details);
    super([diagnostic], 1, options);
    this.name = "StateError";
    this.diagnostic = diagnostic;
    this.isOfThePlace = isOfThePlace;
  }
}

/**
 * A view refers to lines that are gone: another process replaced them, or they are damaged. Reading the view again
 * shows what took their place, or that nothing did.
 */
export class Outdated extends StateError {}

/** Options of a `StateError`. */
export interface StateErrorOptions extends ErrorOptions {
  readonly isOfThePlace?: boolean;
}

/** A problem of the place, and so of every state there. */
export function placeError(details: DiagnosticDetails, options?: ErrorOptions): StateError {
  return new StateError(details, { ...options, isOfThePlace: true });
}

/** Whether the place has the problem. */
export function isOfThePlace(thrown: unknown): thrown is StateError {
  return thrown instanceof StateError && thrown.isOfThePlace;
}

/**
 * Refuses what a newer Zoneform wrote: it is not damage, and no repair may touch it. `version` comes from the header;
 * `file` names the file of `what`, if it has one.
 */
export function refuseNewer({ version }: JsonObject, known: number, what: string, file?: string): void {
  if (typeof version !== "number" || version <= known) return;
  const versions = ` (version ${version}, this one reads ${known})`;
  throw new StateError(problem("state-newer", { what, versions }, inFile(file)));
}

/** Nothing was unlocked, because nothing is locked. */
export function notLocked(name: string, file?: string): StateError {
  return notUnlocked(`${name} is not locked`, "there is nothing to unlock", file);
}

/** Nothing was unlocked, because the lock has another id. */
export function lockedOtherwise(name: string, file?: string): StateError {
  return notUnlocked(`${name} is locked with another id`, "", file);
}

/** Nothing was unlocked, because another run has the lock by now. */
export function lockedAnew(name: string): StateError {
  return notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
}

/** Why nothing was unlocked. */
export function notUnlocked(message: string, remedy: string, file?: string): StateError {
  return new StateError(problem("not-unlocked", { message }, { remedy, ...inFile(file) }));
}

function inFile(file: string | undefined): Pick<Diagnostic, "at"> {
  return defined({ at: file === undefined ? undefined : topOf(file) });
}
