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
