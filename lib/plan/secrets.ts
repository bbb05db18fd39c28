import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Path,
  valueAt,
  withOptionalValueAt,
  withValueAt,
} from "../core/json.ts";
import { isSecretReference, type SecretReference } from "../core/secret.ts";
import type { PlanInput } from "./inputs.ts";

/**
 * A copy of the values with a fingerprint in place of every reference to a secret that has one. Only write-only fields
 * are searched: elsewhere, a map with the one key `env` is just a map. Values without secrets are returned as they are,
 * which keeps a hundred thousand of them cheap.
 */
export function withFingerprints(
  values: JsonObject,
  writeOnly: readonly string[],
  fingerprintOf: (reference: SecretReference) => string | undefined,
): JsonObject {
  return pathsOf(writeOnly).reduce((replaced, path) => {
    const value = valueAt(replaced, path);
    return value === undefined || (!isObject(value) && !isList(value))
      ? replaced
      : withValueAt(replaced, path, replace(value, fingerprintOf));
  }, values);
}

/** The paths of write-only fields, parsed once, because every object needs them. */
function pathsOf(writeOnly: readonly string[]): readonly Path[] {
  const known = PATHS.get(writeOnly);
  if (known) return known;
  const paths = writeOnly.map((name) => name.split("."));
  PATHS.set(writeOnly, paths);
  return paths;
}

const PATHS = new WeakMap<readonly string[], readonly Path[]>();

/**
 * The values for a comparison: with fingerprints, and with the last applied value for a secret that is not available,
 * because we cannot tell whether it changed. If none was applied, there is nothing to compare.
 */
export function comparableValues(
  { fingerprintOf, absenceOf }: Pick<PlanInput, "fingerprintOf" | "absenceOf">,
  values: JsonObject,
  writeOnly: readonly string[],
  applied: JsonObject | undefined,
): JsonObject {
  const isAbsent = (path: Path): boolean =>
    referencesIn(valueAt(values, path)).some((reference) => absenceOf?.(reference) !== undefined);
  const known = pathsOf(writeOnly)
    .filter(isAbsent)
    .reduce((kept, path) => withOptionalValueAt(kept, path, valueAt(applied, path)), values);
  return withFingerprints(known, writeOnly, fingerprintOf);
}

/** Why the first unavailable secret of these values is missing; undefined if all are available. */
export function absenceIn(
  absenceOf: PlanInput["absenceOf"],
  values: JsonObject | undefined,
  writeOnly: readonly string[],
): string | undefined {
  const references = pathsOf(writeOnly).flatMap((path) => referencesIn(valueAt(values, path)));
  return references.map((reference) => absenceOf?.(reference)).find((missing) => missing !== undefined);
}

function referencesIn(value: Json | undefined): readonly SecretReference[] {
  if (isSecretReference(value)) return [value];
  if (isList(value)) return value.flatMap(referencesIn);
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : [];
}

function replace(value: Json, fingerprintOf: (reference: SecretReference) => string | undefined): Json {
  if (isSecretReference(value)) return fingerprintOf(value) ?? value;
  if (isList(value)) return value.map((item) => replace(item, fingerprintOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replace(child, fingerprintOf)]));
}
