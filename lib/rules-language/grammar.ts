import type { Expression, Literal, Value } from "./ast.ts";
import type { ParseOptions } from "./names.ts";
import type { Scanner } from "./scanner.ts";

/** What the parser offers to the files that read comparisons and calls. */
export interface Grammar {
  readonly scanner: Scanner;
  readonly options: ParseOptions;
  /** Whether the text is the condition of a rule, and not an expression that computes a value. */
  readonly isRule: boolean;
  /** The calls so far of functions of which an expression may have one. */
  readonly once: string[];
  /** Whether an operand may end here. */
  isAtBoundary(): boolean;
  /** Reads a field or a call, and which part of it. */
  readValue(): Value | undefined;
  /** Reads `true` or `false`. */
  readTruth(): Literal;
  /** Reads the arguments of a call up to its closing bracket. Undefined if one of them is wrong. */
  readArguments(): readonly Expression[] | undefined;
}
