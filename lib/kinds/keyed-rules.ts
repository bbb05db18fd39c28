import { optionalText } from "../core/decode.ts";
import { isList, isObject, type Json } from "../core/json.ts";

/**
 * A list of rules as a map by ref, for readers: refs identify rules, positions do not. Other values are returned
 * unchanged.
 */
export function keyedByRef(value: Json | undefined): Json | undefined {
  if (!isList(value)) return value;
  const rules = value.filter(isObject).flatMap((rule) => {
    const ref = optionalText(rule, "ref");
    return ref === undefined ? [] : [[ref, rule] as const];
  });
  return rules.length === value.length ? Object.fromEntries(rules) : value;
}
