import type { DiagnosticCode } from "./diagnostic-code.ts";

/** A place in a file. `line` and `column` count from 1; a column counts UTF-16 code units, as editors do. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * One thing that is wrong, written so that the reader can fix it without asking.
 * `message` is lower case, without a full stop; `remedy` is what to do about it.
 */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** A stable name such as `unknown-key`, for filters; `zoneform explain` explains it. */
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy?: string;
  /** Whole commands that do what `remedy` says, each printed on a line of its own. */
  readonly commands?: readonly string[];
  readonly at?: Position;
  readonly address?: string;
}

/** What a step gives that can find fault with its input: a value, or every error of the pass. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What an error or a warning is made of besides its severity. */
export type DiagnosticDetails = Omit<Diagnostic, "severity">;

/** An error diagnostic. */
export function error(details: DiagnosticDetails): Diagnostic {
  return { severity: "error", ...details };
}

/** A warning diagnostic. */
export function warning(details: DiagnosticDetails): Diagnostic {
  return { severity: "warning", ...details };
}

/** A result from what a pass found: the value when nothing is an error, else all of it. */
export function result<T>(value: T, diagnostics: readonly Diagnostic[]): Result<T> {
  const failed = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  return failed
    ? { ok: false, diagnostics: inOrder(diagnostics) }
    : { ok: true, value, warnings: inOrder(diagnostics) };
}

/** Diagnostics by file, line and column; those without a place come last. Equal places keep their order. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort((left, right) => compare(left.at, right.at));
}

function compare(left: Position | undefined, right: Position | undefined): number {
  if (!left || !right) return Number(!left) - Number(!right);
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}

/** `file:line:column`, as editors and terminals make it clickable. */
export function formatPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/**
 * Stops a command because of what the user gave it or what the world answered.
 * Thrown where going on makes no sense; `cmd/main.ts` prints the diagnostics and exits with `exitCode`.
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
