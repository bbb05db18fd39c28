// What .ci/compile-validators.mjs makes of the schemas. `imports` in package.json leads from `#validators` to this and to that.
import type { ProjectFile, ZoneFile } from "./document.ts";
import type { SchemaProblem } from "./schema-problem.ts";

/** Whether a value meets the schema; if not, `errors` says why until the next call. */
export interface Validate<T> {
  (value: unknown): value is T;
  readonly errors?: readonly SchemaProblem[] | null;
}

export const project: Validate<ProjectFile>;
export const zone: Validate<ZoneFile>;
export const leaves: ReadonlyMap<string, Validate<unknown>>;
