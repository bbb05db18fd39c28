import { isList, isObject, type Json } from "./json.ts";
import { quote } from "./quote.ts";
import { isFingerprint, isSecretReference, SENSITIVE } from "./secret.ts";

/** Whether a value must not be printed even if its field is not marked: the second line of defence. */
export function isSensitive(value: Json | undefined): boolean {
  if (isList(value)) return value.some((item) => isSensitive(item));
  if (isFingerprint(value) || isSecretReference(value)) return true;
  return isObject(value) && Object.values(value).some((item) => isSensitive(item));
}

/** A value as in YAML: bare if it is plain, quoted if it could be mistaken. Not yet escaped. */
export function formatValue(value: Json | undefined): string {
  if (value === undefined) return "(unset)";
  if (isSensitive(value)) return SENSITIVE;
  return typeof value === "string" ? formatText(value) : JSON.stringify(value);
}

/** Two values of one field; if they would look the same bare (`"1"` and `1`), both as JSON. */
export function formatPair(left: Json | undefined, right: Json | undefined): readonly [string, string] {
  const [first, second] = [formatValue(left), formatValue(right)];
  if (first !== second || isSensitive(left) || left === undefined || right === undefined) return [first, second];
  return [JSON.stringify(left), JSON.stringify(right)];
}

/** Letters, digits and the marks of names, paths and versions: nothing that could be mistaken for anything else. */
const PLAIN = /^[\p{L}\p{N}_./:@*+-]+$/u;

const OTHER_TYPES: readonly string[] = ["true", "false", "null"];

function formatText(text: string): string {
  return PLAIN.test(text) && !OTHER_TYPES.includes(text) ? text : quote(text);
}
