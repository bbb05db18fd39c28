import type * as codes from "./codes.ts";

/** The codes that only one kind raises: lib/kinds/kind.ts adds those of the registered kinds. */
export interface KindCodes {}

type Tables = typeof codes;

/**
 * A diagnostic's code: a stable kebab-case name that a table explains, in `core/codes` or in a kind's folder. A code
 * without an explanation does not compile.
 */
export type DiagnosticCode = { [Table in keyof Tables]: keyof Tables[Table] }[keyof Tables] | keyof KindCodes;
