import type { DesiredObject } from "../config/desired.ts";
import { equal, type Json, type JsonObject, type Path, valueAt, withoutValueAt, withValueAt } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { StateObject } from "../state/state.ts";

/** Where a tracked object has secrets. */
export function secretsOf(kind: Kind, tracked: StateObject | undefined): readonly Path[] {
  return writeOnlyPaths(kind).filter((path) => isSecret(valueAt(tracked?.applied, path)));
}

/** The switches among the write-only fields: we recorded what was sent. */
export function switches(kind: Kind, values: JsonObject): JsonObject {
  return writeOnlyPaths(kind).reduce((kept: JsonObject, path) => {
    const value = valueAt(values, path);
    return typeof value === "boolean" ? withValueAt(kept, path, value) : kept;
  }, {});
}

/** The values without secrets, because a hash cannot be sent. */
export function withoutSecrets(kind: Kind, values: JsonObject): JsonObject {
  return writeOnlyPaths(kind)
    .filter((path) => isSecret(valueAt(values, path)))
    .reduce((kept: JsonObject, path) => withoutValueAt(kept, path), values);
}

/** Fields whose secret the run changed. */
export function changedSecrets(
  kind: Kind,
  prior: StateObject | undefined,
  after: StateObject | undefined,
): readonly Path[] {
  return writeOnlyPaths(kind).filter((path) => {
    const [had, left] = [valueAt(prior?.applied, path), valueAt(after?.applied, path)];
    return !equal(had, left) && (isSecret(had) || isSecret(left));
  });
}

/** A secret that the YAML still refers to stays managed; a hash cannot be sent. */
export function withKnownSecrets(
  kind: Kind,
  spec: JsonObject,
  tracked: StateObject | undefined,
  declared: DesiredObject | undefined,
): JsonObject {
  return writeOnlyPaths(kind).reduce((kept: JsonObject, path) => {
    const reference = valueAt(declared?.spec, path);
    const isOwned = isSecret(valueAt(tracked?.applied, path));
    return isOwned && reference !== undefined ? withValueAt(kept, path, reference) : kept;
  }, spec);
}

function writeOnlyPaths(kind: Kind): readonly Path[] {
  return kind.writeOnly.map((name) => name.split("."));
}

/** A write-only switch is no secret. */
function isSecret(value: Json | undefined): boolean {
  return value !== undefined && typeof value !== "boolean";
}
