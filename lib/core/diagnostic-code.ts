import type * as codes from "./codes.ts";

/** The codes that only one kind of resource raises: lib/kinds/kind.ts adds those of the registered kinds. */
export interface KindCodes {}

type Tables = typeof codes;

/**
 * What a diagnostic may be called: a stable kebab-case name that a table explains, in `core/codes` or in the folder of a
 * kind. A code without an explanation does not compile.
 */
export type DiagnosticCode = { [Table in keyof Tables]: keyof Tables[Table] }[keyof Tables] | keyof KindCodes;
