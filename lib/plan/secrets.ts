import { isList, isObject, type Json, type JsonObject, valueAt, withValueAt } from "../core/json.ts";
import { isSecretReference, type SecretReference } from "../core/secret.ts";

/**
 * A copy of the values with every reference to a secret replaced by its fingerprint, where there is one. Only looked
 * for in the write-only leaves: elsewhere, a map with the one key `env` is just a map. Values without secrets come back
 * as they are, so that a hundred thousand of them cost nothing.
 */
export function withFingerprints(
  values: JsonObject,
  writeOnly: readonly string[],
  fingerprintOf: (reference: SecretReference) => string | undefined,
): JsonObject {
  return writeOnly.reduce((replaced, name) => {
    const path = name.split(".");
    const value = valueAt(replaced, path);
    return value === undefined || (!isObject(value) && !isList(value))
      ? replaced
      : withValueAt(replaced, path, replace(value, fingerprintOf));
  }, values);
}

function replace(value: Json, fingerprintOf: (reference: SecretReference) => string | undefined): Json {
  if (isSecretReference(value)) return fingerprintOf(value) ?? value;
  if (isList(value)) return value.map((item) => replace(item, fingerprintOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replace(child, fingerprintOf)]));
}
