import type { DiagnosticCode } from "./diagnostic-code.ts";

/** A place in a file. `line` and `column` count from 1; a column counts UTF-16 code units, as editors do. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The place of an error that concerns a whole file. */
export function topOf(file: string): Position {
  return { file, line: 1, column: 1 };
}

/** Where a declared value comes from. */
export interface Origin {
  readonly at: Position;
  /** The policy, exception, layer or source that set it. */
  readonly through?: string;
  /** A policy or an exception set it, so one place decides for many objects. */
  readonly isShared?: true;
  /** The last day of the exception. */
  readonly until?: string;
}

/**
 * One fault, described so that the reader can fix it without asking. `message` is lower case, without a full stop;
 * `remedy` says what to do.
 */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** A stable name such as `unknown-key`, for filters; `zoneform explain` explains it. */
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy?: string;
  /** Complete commands that do what `remedy` says; each is printed on a line of its own. */
  readonly commands?: readonly string[];
  readonly at?: Position;
  readonly address?: string;
}

/** The result of a step that checks its input: a value, or every error it found. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** An error or a warning without its severity. */
export type DiagnosticDetails = Omit<Diagnostic, "severity">;

export function error(details: DiagnosticDetails): Diagnostic {
  return { severity: "error", ...details };
}

export function warning(details: DiagnosticDetails): Diagnostic {
  return { severity: "warning", ...details };
}

/** A refusal with one error. */
export function refusal(details: DiagnosticDetails, exitCode?: number, options?: ErrorOptions): Refusal {
  return new Refusal([error(details)], exitCode, options);
}

/** Makes a result: the value if there is no error, else all the diagnostics. */
export function result<T>(value: T, diagnostics: readonly Diagnostic[]): Result<T> {
  const failed = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  return failed
    ? { ok: false, diagnostics: inOrder(diagnostics) }
    : { ok: true, value, warnings: inOrder(diagnostics) };
}

/** Sorts diagnostics by file, line and column; those without a place come last. Equal places keep their order. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort((left, right) => compare(left.at, right.at));
}

function compare(left: Position | undefined, right: Position | undefined): number {
  if (!left || !right) return Number(!left) - Number(!right);
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}

/** `file:line:column`, the form that editors and terminals make clickable. */
export function formatPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/**
 * Stops a command because of the user's input or the service's responses. Thrown where it makes no sense to continue;
 * `cmd/main.ts` prints the diagnostics and exits with `exitCode`.
 */
export class Refusal extends Error {
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: number;

  constructor(diagnostics: readonly Diagnostic[], exitCode = 1, options?: ErrorOptions) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join("; "), options);
    this.name = "Refusal";
    this.diagnostics = diagnostics;
    this.exitCode = exitCode;
  }
}
