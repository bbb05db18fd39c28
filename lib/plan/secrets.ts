import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Path,
  valueAt,
  withoutValueAt,
  withValueAt,
} from "../core/json.ts";
import { isSecretReference, type SecretReference } from "../core/secret.ts";
import type { PlanInput } from "./inputs.ts";

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
  return pathsOf(writeOnly).reduce((replaced, path) => {
    const value = valueAt(replaced, path);
    return value === undefined || (!isObject(value) && !isList(value))
      ? replaced
      : withValueAt(replaced, path, replace(value, fingerprintOf));
  }, values);
}

/** The paths of write-only leaves, taken apart once: this is asked for every object. */
function pathsOf(writeOnly: readonly string[]): readonly Path[] {
  const known = PATHS.get(writeOnly);
  if (known) return known;
  const paths = writeOnly.map((name) => name.split("."));
  PATHS.set(writeOnly, paths);
  return paths;
}

const PATHS = new WeakMap<readonly string[], readonly Path[]>();

/**
 * The values as they are compared: with fingerprints, and where a secret is not at hand as they were applied last, because
 * nobody can tell whether it changed. Without a record of it there is nothing to compare.
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
    .reduce((kept, path) => {
      const last = valueAt(applied, path);
      return last === undefined ? withoutValueAt(kept, path) : withValueAt(kept, path, last);
    }, values);
  return withFingerprints(known, writeOnly, fingerprintOf);
}

/** What is missing of the first secret of these values that is not at hand; undefined where all are. */
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
