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
  /** `same`: the type of the first argument. */
  readonly returns: Type | "same";
  /** The only phases that have it; absent if all have it. */
  readonly phases?: readonly string[];
  readonly needs?: string;
}

/** A parameter of a function. */
export interface Parameter {
  /** The types that it accepts. */
  readonly types: readonly Type[];
  /** Only a literal, or only a field or what functions make of one; absent if both may be given. */
  readonly only?: "literal" | "value";
  readonly isOptional?: true;
}
