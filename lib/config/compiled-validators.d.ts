// What .ci/compile-validators.mjs makes of the schemas. `imports` in package.json leads from `#validators` to this and to that.
import type { JsonObject } from "../core/json.ts";

/** What a schema says against a document: which keyword was not met, where, and by what. */
export interface SchemaProblem {
  readonly keyword: string;
  /** A JSON pointer into the document. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The schema that has the keyword. */
  readonly parentSchema?: JsonObject;
}

/** Whether a value meets the schema; if not, `errors` says why until the next call. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaProblem[] | null;
}

export const project: Validate;
export const zone: Validate;
export const leaves: ReadonlyMap<string, Validate>;
