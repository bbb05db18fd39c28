import type { JsonObject } from "../core/json.ts";

/** An object as the service has it now. */
export interface Live {
  readonly id: string;
  /** The natural key; empty for kinds with one object per zone. */
  readonly key: string;
  /** Every field that a user could write, in the form of the YAML. */
  readonly values: JsonObject;
  /** What the service fills in and changes by itself: status, versions, dates. Never compared. */
  readonly status: JsonObject;
}

/** The keys of an entry that are not values of the object: `own`, `adopt`, `place`, `ssl_updates`, denied CAs. */
export type Options = JsonObject;
