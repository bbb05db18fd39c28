/**
 * The type of a value. `unknown` is that of a field or a function that the tables do not have; it fits everywhere, so that
 * one unknown name does not raise further problems.
 */
export type Type = "bool" | "int" | "string" | "ip" | "unknown" | ArrayType | MapType;

/** A list of values of one type. */
export interface ArrayType {
  readonly array: Type;
}

/** Values of one type by key; keys are strings. */
export interface MapType {
  readonly map: Type;
}

/** A type as the documentation of the language writes it: `Map<Array<String>>`. */
export function typeName(type: Type): string {
  if (typeof type === "string") return NAMES[type];
  const [name, inner] = "array" in type ? ["Array", type.array] : ["Map", type.map];
  return inner === "unknown" ? name : `${name}<${typeName(inner)}>`;
}

const NAMES = { bool: "Boolean", int: "Integer", string: "String", ip: "IP address", unknown: "unknown" } as const;

/** A type with its article, as in a sentence: `a String`, `an Array<String>`. */
export function aType(type: Type): string {
  const name = typeName(type);
  return `${/^[AIu]/.test(name) ? "an" : "a"} ${name}`;
}

/** Whether a value of a type can stand where another type is expected. What is unknown fits everywhere. */
export function fits(type: Type, expected: Type): boolean {
  if (type === "unknown" || expected === "unknown") return true;
  if (typeof type === "string" || typeof expected === "string") return type === expected;
  if ("array" in type) return "array" in expected && fits(type.array, expected.array);
  return "map" in expected && fits(type.map, expected.map);
}

/** Whether a type is that of a condition: for one request, or for each element of an array. */
export function isCondition(type: Type): boolean {
  return fits(type, "bool") || fits(type, BOOLS);
}

/** The type of a condition over `[*]`. */
export const BOOLS: ArrayType = { array: "bool" };
