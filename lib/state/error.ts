import { type Diagnostic, type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";

/**
 * A state, a journal or a lock cannot be read, trusted or written. It carries what is wrong, where, and what to do;
 * it is never taken for "there is no state", because that would read as "everything is to be created".
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
