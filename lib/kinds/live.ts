import type { JsonObject } from "../core/json.ts";

/** An object as the service has it now. */
export interface Live {
  readonly id: string;
  /** The natural key; empty for kinds of which a zone has one. */
  readonly key: string;
  /** Every field that a user could write, in the shape of the YAML. */
  readonly values: JsonObject;
  /** What the service fills and moves by itself: status, versions, dates. Never compared. */
  readonly status: JsonObject;
}

/** What an entry says beside its values, in the YAML's own shape: `own`, `adopt`, `place`, `ssl_updates`, denied CAs. */
export type Options = JsonObject;
