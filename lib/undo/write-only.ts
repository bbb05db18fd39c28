import type { DesiredObject } from "../config/desired.ts";
import { equal, type Json, type JsonObject, type Path, valueAt, withoutValueAt, withValueAt } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { StateObject } from "../state/state.ts";

/** Where an object that is tracked so has a secret. */
export function secretsOf(kind: Kind, tracked: StateObject | undefined): readonly Path[] {
  return writeOnlyPaths(kind).filter((path) => isSecret(valueAt(tracked?.applied, path)));
}

/** The switches among what the service never shows: what was sent is on record. */
export function switches(kind: Kind, values: JsonObject): JsonObject {
  return writeOnlyPaths(kind).reduce((kept: JsonObject, path) => {
    const value = valueAt(values, path);
    return typeof value === "boolean" ? withValueAt(kept, path, value) : kept;
  }, {});
}

/** The values without secrets: a hash alone can never be sent. */
export function withoutSecrets(kind: Kind, values: JsonObject): JsonObject {
  return writeOnlyPaths(kind)
    .filter((path) => isSecret(valueAt(values, path)))
    .reduce((kept: JsonObject, path) => withoutValueAt(kept, path), values);
}

/** Where a run left another secret than it met. */
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

/** A secret that the YAML still refers to stays owned; a hash alone can never be sent. */
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

/** A switch that the service never shows is no secret. */
function isSecret(value: Json | undefined): boolean {
  return value !== undefined && typeof value !== "boolean";
}
