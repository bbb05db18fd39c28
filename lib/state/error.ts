import { type Diagnostic, type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";

/**
 * A state, a journal or a lock cannot be read, trusted or written. It says what is wrong, where, and what to do. Never
 * treat it as "there is no state": that would mean "create everything".
 */
export class StateError extends Refusal {
  readonly diagnostic: Diagnostic;

  constructor(details: DiagnosticDetails, options?: ErrorOptions) {
    const diagnostic = error(details);
    super([diagnostic], 1, options);
    this.name = "StateError";
    this.diagnostic = diagnostic;
  }
}

/** What is wrong with the place, and so with every state there. */
const OF_THE_PLACE: ReadonlySet<string> = new Set([
  "state-unreachable",
  "state-host",
  "state-denied",
  "state-driver",
  "state-address",
  "state-pooler",
  "state-tables",
  "state-moved",
  "state-arriving",
]);

/** Whether it says nothing about one state and everything about the place of all of them. */
export function isOfThePlace(thrown: unknown): thrown is StateError {
  return thrown instanceof StateError && OF_THE_PLACE.has(thrown.diagnostic.code);
}
