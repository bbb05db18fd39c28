import type { Type } from "../types.ts";

/** A field of the language, as the public documentation describes it. */
export interface FieldEntry {
  readonly type: Type;
  /** The only phases that have it; absent if all phases of requests have it. */
  readonly phases?: readonly string[];
  /** The lowest subscription, or the product, that has it; absent if all have it. */
  readonly needs?: string;
  /** The field to use instead, if this one is deprecated. */
  readonly replacedBy?: string;
}

/** A function of the language. */
export interface FunctionEntry {
  readonly parameters: readonly Parameter[];
  /** The last parameter may be repeated. */
  readonly isVariadic?: true;
  /** `same`: the type of the first argument, which the repeated ones then have too. */
  readonly returns: Type | "same";
  /** An expression may call it once, and no other function with this mark beside it. */
  readonly isOnce?: true;
  /** The only phases that have it; absent if all have it. */
  readonly phases?: readonly string[];
  readonly needs?: string;
}

/** A parameter of a function. */
export interface Parameter {
  /** As the documentation calls it. */
  readonly name?: string;
  /** The types that it accepts. `{ array: "unknown" }` is an array of anything. */
  readonly types: readonly Type[];
  /** Only a literal, or only a field or what functions make of one; absent if both may be given. */
  readonly only?: "literal" | "value";
  readonly isOptional?: true;
  /** A literal is a regular expression or a wildcard and has to be a valid one; `non-empty`: it may not be "". */
  readonly is?: "regex" | "wildcard" | "non-empty";
  /** The smallest and the largest number that a literal may be. */
  readonly range?: readonly [number, number];
}
