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
