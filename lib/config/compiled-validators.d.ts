// What .ci/compile-validators.mjs generates from the schemas. `imports` in package.json resolves `#validators` to both.
import type { JsonObject } from "../core/json.ts";

/** A violation of a schema: which keyword failed, where, and how. */
export interface SchemaProblem {
  readonly keyword: string;
  /** A JSON pointer into the document. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The schema that contains the keyword. */
  readonly parentSchema?: JsonObject;
}

/** Whether a value matches the schema; if not, `errors` says why until the next call. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaProblem[] | null;
}

export const project: Validate;
export const zone: Validate;
export const leaves: ReadonlyMap<string, Validate>;
