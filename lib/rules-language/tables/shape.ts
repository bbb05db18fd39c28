import type { Type } from "../types.ts";

/** What the tables say of each field and function. */
interface Entry {
  /** The only phases that have it, where the documentation names them; absent if it names none. */
  readonly phases?: readonly string[];
  /** The lowest subscription, or the product, that has it; absent if all have it. */
  readonly needs?: string;
  /** Rules about packets (Magic Transit) have it too, or only they do; absent if only rules about requests have it. */
  readonly packets?: "also" | "only";
}

/** A field of the language, as the public documentation describes it. */
export interface FieldEntry extends Entry {
  readonly type: Type;
  /** The field to use instead, if this one is deprecated. */
  readonly replacedBy?: string;
}

/** A function of the language. */
export interface FunctionEntry extends Entry {
  readonly parameters: readonly Parameter[];
  /** The last parameter may be repeated. */
  readonly isVariadic?: true;
  /** How many arguments a call may have, if that is documented. */
  readonly atMost?: number;
  /** `same`: the type of the first argument, which all others then have too. */
  readonly returns: Type | "same";
  /** An expression may call it once, and no other function with this mark beside it. */
  readonly isOnce?: true;
  /** Only an expression that computes a value may call it, such as the target of a redirect; a rule's condition may not. */
  readonly isForValues?: true;
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
