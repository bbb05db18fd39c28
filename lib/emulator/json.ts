/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Whether the value is a JSON object, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as JSON without white space and with sorted keys, so that equal values give equal text. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

/** The value if it is a string, else "". */
export function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A deep copy, so that an answer or a snapshot never shares structure with the store. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}

/** A deep copy of plain data, typed as JSON. */
export function jsonOf(value: object): Json {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json;
}

/** The object without the members that are undefined. */
export function compact(members: { [key: string]: Json | undefined }): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) kept[key] = value;
  return kept;
}
