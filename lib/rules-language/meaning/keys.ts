import type { Call, Comparison, Expression, Field, Index, SetItem } from "../ast.ts";

/** A text that is equal for values that are written in the same way. */
export function keyOf(value: Expression): string {
  if (value.kind === "field") return value.name;
  if (value.kind === "index")
    return `${keyOf(value.of)}[${typeof value.key === "object" ? "*" : JSON.stringify(value.key)}]`;
  if (value.kind === "call") return `${value.name}(${value.arguments.map(keyOf).join(", ")})`;
  if (value.kind === "group") return `(${keyOf(value.inner)})`;
  if (value.kind === "not") return `not ${keyOf(value.operand)}`;
  if (value.kind === "logical") return `(${value.operands.map(keyOf).join(` ${value.operator} `)})`;
  if (value.kind === "comparison") return `${keyOf(value.left)} ${value.operator} ${rightKey(value.right)}`;
  return value.kind === "string" ? JSON.stringify(value.value) : String(value.value);
}

/** The right side of a comparison that is a value of the request too. */
export function isComputed(right: Comparison["right"]): right is Field | Index | Call {
  return right.kind === "field" || right.kind === "index" || right.kind === "call";
}

export function rightKey(right: Comparison["right"]): string {
  if (right.kind === "list") return `$${right.name}`;
  if (isComputed(right)) return keyOf(right);
  return JSON.stringify((right.kind === "set" ? right.items : [right]).map(itemKey));
}

function itemKey(item: SetItem): string {
  if (item.kind === "range") return `${keyOf(item.from)}..${keyOf(item.to)}`;
  return item.kind === "network" ? `${item.address}/${item.bits}` : keyOf(item);
}
