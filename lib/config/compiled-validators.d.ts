// What .ci/compile-validators.mjs makes of the schemas. `imports` in package.json leads from `#validators` to this and to that.
import type { SchemaProblem } from "./schema-problem.ts";

/** Whether a value meets the schema; if not, `errors` says why until the next call. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaProblem[] | null;
}

export const project: Validate;
export const zone: Validate;
export const leaves: ReadonlyMap<string, Validate>;
