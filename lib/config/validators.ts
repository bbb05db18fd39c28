import * as compiled from "#validators";
import type { SchemaProblem } from "#validators";

/** Holds a value against a schema: gives everything that is wrong with it. */
export type Check = (value: unknown) => readonly SchemaProblem[];

/** What the project file has to be. */
export const checkProject: Check = checkBy(compiled.project);

/** What a zone file, or a layer of one, has to be. */
export const checkZone: Check = checkBy(compiled.zone);

/** What the leaves of a custom hostname have to be that a source can give, such as `ssl.method`. */
export const LEAF_CHECKS: ReadonlyMap<string, Check> = new Map(
  [...compiled.leaves].map(([leaf, validate]) => [leaf, checkBy(validate)]),
);

function checkBy(validate: compiled.Validate): Check {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
