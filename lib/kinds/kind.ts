import type { Position } from "../core/diagnostic.ts";
import type { KindOf } from "./kind-of.ts";
import type * as registered from "./registered.ts";

/** The names of the resource kinds, as they stand in addresses: those of the registered kinds. */
export type KindName = (typeof registered)[keyof typeof registered]["name"];

/** Any registered kind of resource. */
export type Kind = KindOf<KindName, KindName, string>;

/** The codes that only one kind raises: those of the tables of the registered kinds. */
type KindCode = {
  [Each in keyof typeof registered]: keyof (typeof registered)[Each]["ownCodes"];
}[keyof typeof registered];

// A diagnostic may have these codes as well. Core sees no kind, and leaves a place for them.
declare module "../core/diagnostic-code.ts" {
  interface KindCodes extends Record<KindCode, unknown> {}
}

/** Where a declared value came from: for `why` and for error messages. */
export interface Origin {
  readonly at: Position;
  /** The policy, exception, layer or source it came through. */
  readonly through?: string;
}
