import type { Span } from "./ast.ts";

/** What is wrong with an expression. */
export interface Problem {
  readonly code: ProblemCode;
  /** One sentence without a full stop, such as `unknown field "http.request.uri.paht"`. */
  readonly message: string;
  readonly span: Span;
  /** What to do about it, if the parser knows. */
  readonly remedy?: string;
  /** The service may know the name although our tables do not: not an error. */
  readonly isWarning?: true;
}

/**
 * The sorts of problems: the text is not an expression; an operator or an argument does not fit the type of its value; a
 * name is close to one that exists, or is in no table; a field or a function is not available in the phase; a regular
 * expression is not one; or the expression is larger than the service accepts.
 */
export type ProblemCode =
  | "syntax"
  | "type"
  | "misspelt-name"
  | "unknown-name"
  | "not-in-phase"
  | "bad-pattern"
  | "too-large";
