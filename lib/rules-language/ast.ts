import { BOOLS, type Type } from "./types.ts";

/** A part of an expression's text, in UTF-16 units from its start. `end` is the first unit after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What every node has. */
interface Node {
  readonly span: Span;
  readonly type: Type;
}

/**
 * An expression of the rules language (docs/rules-language.md). A rule's expression has the type `bool`; one that
 * computes a value, as in a rewrite, has another. Inside of a call, a condition over `[*]` has the type of an array of
 * `bool`.
 */
export type Expression = Logical | Not | Group | Comparison | Value;

/** Two or more conditions that are joined by the same operator. */
export interface Logical extends Node {
  readonly kind: "logical";
  readonly operator: LogicalOperator;
  readonly operands: readonly [Expression, Expression, ...Expression[]];
}

/** The operators between conditions, tightest first. */
export type LogicalOperator = "and" | "xor" | "or";

/** A negated condition. */
export interface Not extends Node {
  readonly kind: "not";
  readonly operand: Expression;
}

/** A condition in brackets. */
export interface Group extends Node {
  readonly kind: "group";
  readonly inner: Expression;
}

/**
 * A value that is compared with another one, a set of literals or a named list. Only the operators of equality and order
 * have a value on the right that is no literal.
 */
export interface Comparison extends Node {
  readonly kind: "comparison";
  readonly left: Value;
  readonly operator: ComparisonOperator;
  /** The operator as it was written, for instance `==`. */
  readonly written: string;
  readonly right: Value | LiteralSet | NamedList;
}

/** The comparison operators, in words. Whole numbers also know `bitwise and`. */
export type ComparisonOperator =
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "bitwise_and"
  | "contains"
  | "matches"
  | "wildcard"
  | "strict wildcard"
  | "in";

/** What has a value for a request. */
export type Value = Field | Index | Call | Literal;

/** A field of the request or the response, such as `http.host`. */
export interface Field extends Node {
  readonly kind: "field";
  readonly name: string;
}

/** A part of a map or an array: `["key"]`, `[0]`, or `[*]` for each element. */
export interface Index extends Node {
  readonly kind: "index";
  readonly of: Value;
  readonly key: string | number | Each;
}

/** The key `[*]`: each element of an array. */
export type Each = { readonly each: true };

/** A call of a function, such as `lower(http.host)`. */
export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  /** Conditions may be arguments too: `any(http.request.headers.names[*] == "x-a")`. */
  readonly arguments: readonly Expression[];
}

/** A value that stands in the expression itself. */
export type Literal = TextLiteral | NumberLiteral | TruthLiteral | AddressLiteral;

/** A string, quoted or raw. */
export interface TextLiteral extends Node {
  readonly kind: "string";
  /**
   * Without quotes and escapes; a regular expression or a wildcard as its engine reads it. The language's strings are
   * bytes: those that are no UTF-8, such as `"\xff"`, are the units U+DC80 to U+DCFF here (`utf8.ts`).
   */
  readonly value: string;
  /** How many `#` a raw string has; undefined for a quoted one. */
  readonly hashes?: number;
}

/** A whole number of 64 bits. */
export interface NumberLiteral extends Node {
  readonly kind: "int";
  readonly value: bigint;
}

/** `true` or `false`. */
export interface TruthLiteral extends Node {
  readonly kind: "bool";
  readonly value: boolean;
}

/** An IP address, as it was written. */
export interface AddressLiteral extends Node {
  readonly kind: "ip";
  readonly value: string;
}

/** The literals of `in {…}`. */
export interface LiteralSet extends Node {
  readonly kind: "set";
  readonly items: readonly SetItem[];
}

/** One entry of a set: a literal, a range with both ends, or a network such as `10.0.0.0/8`. */
export type SetItem = Literal | Range | Network;

/** From one number or address to another, both included. */
export interface Range extends Node {
  readonly kind: "range";
  readonly from: NumberLiteral | AddressLiteral;
  readonly to: NumberLiteral | AddressLiteral;
}

/** All addresses that begin with the same bits. */
export interface Network extends Node {
  readonly kind: "network";
  /** The address before the slash, as it was written. */
  readonly address: string;
  readonly bits: number;
}

/** A list of the account, or one of the service's own: `$office`, `$cf.anonymizer`. */
export interface NamedList extends Node {
  readonly kind: "list";
  /** Without the `$`. */
  readonly name: string;
}

/** How often `[*]` stands in a value, up to the call or the field that it belongs to. */
export function eachIn(found: Expression): number {
  if (found.kind !== "index") return 0;
  return eachIn(found.of) + (typeof found.key === "object" ? 1 : 0);
}

/** The type of an expression as a condition. A value with `[*]` has the type of one element, and is a condition for each. */
export function conditionType(found: Expression): Type {
  return eachIn(found) > 0 ? BOOLS : found.type;
}
