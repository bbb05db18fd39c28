/** The exit codes (docs/semantics.md#exit-codes). */
export const EXIT = {
  done: 0,
  error: 1,
  changes: 2,
  drift: 3,
  refused: 4,
  conflict: 5,
  partial: 6,
  locked: 7,
  notReady: 8,
  interrupted: 130,
} as const;

/** One of the documented codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** If several apply, the first in this list is the exit code (docs/semantics.md#exit-codes). */
const PRECEDENCE: readonly ExitCode[] = [7, 130, 6, 5, 4, 8, 1, 3, 2, 0];

/** The one exit code for all of them; 0 for none. */
export function worst(codes: Iterable<ExitCode>): ExitCode {
  const held = new Set(codes);
  return PRECEDENCE.find((code) => held.has(code)) ?? EXIT.done;
}
