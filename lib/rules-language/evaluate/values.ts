import type { Address } from "../addresses.ts";
import { compareBytes } from "./text.ts";

/**
 * A value of the language: a string, a whole number, a truth value, an address, an array or a map. What a request does not
 * have is `undefined`, which the documentation calls a missing value.
 */
export type Value = string | number | bigint | boolean | Address | readonly Value[] | ReadonlyMap<string, Value>;

/** A request, as expressions see it. */
export interface Request {
  /** The values of the fields by name. A field that is not here is missing, and each comparison with it is false. */
  readonly fields: ReadonlyMap<string, Value>;
  /** Whether a named list has a value. Without it, all lists are empty. */
  readonly isInList?: (list: string, value: Value) => boolean;
}

/** Whether a value is a whole number. */
export function isNumber(value: Value): value is number | bigint {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** Whether a value is an array. */
export function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether a value is a map. */
export function isMap(value: Value | undefined): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

/** Whether a value is an address. */
export function isAddress(value: Value | undefined): value is Address {
  return typeof value === "object" && "bits" in value;
}

/** The order of two values: below zero, zero or above. Undefined if they have none, as addresses of different versions. */
export function compareValues(left: Value, right: Value): number | undefined {
  if (typeof left === "string") return typeof right === "string" ? compareBytes(left, right) : undefined;
  if (isNumber(left)) return isNumber(right) ? compareNumbers(left, right) : undefined;
  if (isAddress(left)) {
    return isAddress(right) && left.bits === right.bits ? compareNumbers(left.value, right.value) : undefined;
  }
  return left === right ? 0 : undefined;
}

/** Numbers and bigints may be mixed. */
function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}
