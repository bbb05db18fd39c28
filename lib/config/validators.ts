import * as compiled from "#validators";
import type { SchemaProblem } from "#validators";

/** Checks a value with a schema, and returns everything that is wrong with it. */
export type Check = (value: unknown) => readonly SchemaProblem[];

/** Checks the project file. */
export const checkProject: Check = checkBy(compiled.project);

/** Checks a zone file or a layer. */
export const checkZone: Check = checkBy(compiled.zone);

/** Checks the fields of a custom hostname that a source can contain, such as `ssl.method`. */
export const LEAF_CHECKS: ReadonlyMap<string, Check> = new Map(
  [...compiled.leaves].map(([leaf, validate]) => [leaf, checkBy(validate)]),
);

function checkBy(validate: compiled.Validate): Check {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
