import { problem } from "../core/problem.ts";
import { defined } from "../core/defined.ts";
import { type Diagnostic, type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";
import type { JsonObject } from "../core/json.ts";

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
  const at = file === undefined ? undefined : { file, line: 1, column: 1 };
  throw new StateError(problem("state-newer", { what, versions }, defined({ at })));
}

/** The remedy for a damaged snapshot. */
export const RESTORE =
  "nothing was changed; zoneform state doctor lists the copies, zoneform state repair restores the newest";

/** The remedy for a damaged journal; no line of it is ever dropped without consent. */
export const REPAIR = "nothing was changed; to see what can be recovered: zoneform state repair --dry-run";

/** The remedy if a journal and a snapshot belong to different states, or to different times. */
export const TOGETHER =
  "restore the state and the journal that belong together; or see what can be recovered: zoneform state repair --dry-run";

/** The remedy for a journal without a snapshot. */
export const MISSING =
  "restore the state, or let zoneform state repair do it; delete the journal only if the zone starts over";

/** The remedy for earlier copies without a snapshot. */
export const LOST =
  "restore the state, or let zoneform state repair do it; delete the copies only if the zone starts over";

/** Why nothing was unlocked. */
export function notUnlocked(message: string, remedy: string): StateError {
  return new StateError({ code: "not-unlocked", message, remedy });
}
