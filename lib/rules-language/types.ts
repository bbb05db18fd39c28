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
  return "array" in type ? `Array<${typeName(type.array)}>` : `Map<${typeName(type.map)}>`;
}

const NAMES = { bool: "Boolean", int: "Integer", string: "String", ip: "IP address", unknown: "unknown" } as const;
