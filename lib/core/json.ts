/** A JSON value. Readers treat every value as immutable. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The empty object, shared by all, so that code can recognise "nothing was set" by identity. */
export const EMPTY: JsonObject = Object.freeze({});

/** The place of a field in an object: the keys from the top, `["ssl", "settings", "min_tls_version"]`. */
export type Path = readonly string[];

/** Whether a value is a JSON object (not a list, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON list. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value that a JSON text stands for; undefined for any other text. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The object that a JSON text stands for; undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Deep equality of JSON values; the order of keys does not matter, the order of lists does. */
export function equal(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, index) => equal(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length && keys.every((key) => equal(left[key], right[key]));
  }
  return false;
}

/** The value at a path, or undefined if any step of it is missing. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let current = value;
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** A copy of the object with the value set at the path; it makes missing objects on the way. */
export function withValueAt(target: JsonObject, path: Path, value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isObject(value) ? value : target;
  if (rest.length === 0) return { ...target, [key]: value };
  const child = target[key];
  return { ...target, [key]: withValueAt(isObject(child) ? child : {}, rest, value) };
}

/** A copy of the object without the value at the path; objects that become empty on the way are removed too. */
export function withoutValueAt(target: JsonObject, path: Path): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(target, key)) return target;
  const child = target[key];
  const { [key]: _removed, ...others } = target;
  if (rest.length === 0 || !isObject(child)) return others;
  const trimmed = withoutValueAt(child, rest);
  return Object.keys(trimmed).length === 0 ? others : { ...target, [key]: trimmed };
}

/** A copy of the object with the value at the path, or without one if the value is absent. */
export function withOptionalValueAt(target: JsonObject, path: Path, value: Json | undefined): JsonObject {
  return value === undefined ? withoutValueAt(target, path) : withValueAt(target, path, value);
}

/**
 * The leaves of an object in the order of its keys: everything that is not an object, and empty objects. A `null` is
 * not a leaf: it means "unmanaged" (docs/semantics.md#ownership). Lists are leaves, because a list replaces the whole
 * list. `isLeaf` lets the caller stop earlier, for values such as `{ env: NAME }`.
 */
export function leaves(
  value: JsonObject,
  isLeaf: (path: Path, value: JsonObject) => boolean = () => false,
): { path: Path; value: Json }[] {
  const found: { path: Path; value: Json }[] = [];
  collect(value, [], isLeaf, found);
  return found;
}

function collect(
  value: JsonObject,
  at: Path,
  isLeaf: (path: Path, value: JsonObject) => boolean,
  found: { path: Path; value: Json }[],
): void {
  for (const [key, child] of Object.entries(value)) {
    if (child === null) continue;
    const path = [...at, key];
    if (isObject(child) && !isLeaf(path, child)) collect(child, path, isLeaf, found);
    else found.push({ path, value: child });
  }
}

/** The leaves of `wanted` with their live values; leaves that live does not have are left out. */
export function leavesAsLive(wanted: JsonObject, live: JsonObject, isLeaf?: (path: Path) => boolean): JsonObject {
  return leaves(wanted, isLeaf).reduce((found: JsonObject, { path }) => {
    const now = valueAt(live, path);
    return now === undefined || now === null ? found : withValueAt(found, path, now);
  }, {});
}

/** A copy of `below` with the leaves of `above` in it; a `null` in `above` keeps the value of `below`. */
export function overlaid(below: JsonObject, above: JsonObject, isLeaf?: (path: Path) => boolean): JsonObject {
  return leaves(above, isLeaf).reduce((merged, { path, value }) => withValueAt(merged, path, value), below);
}

/** A path for people: `ssl.settings.ciphers`; keys that contain a dot are in quotes. */
export function formatPath(path: Path): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
}

/** JSON text with keys in code-point order, so that equal values give equal bytes. */
export function canonical(value: Json | undefined): string {
  if (value === undefined) return "null";
  if (isList(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

/** `T` without undefined values: a property that may be undefined becomes optional, the others stay. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The properties that have a value: `{ ...defined({ zone }) }` has no key `zone` if the zone is undefined. */
export function defined<T extends object>(properties: T): Defined<T>;
export function defined(properties: object): object {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}
