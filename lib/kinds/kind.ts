import type { Position } from "../core/diagnostic.ts";
import type { KindOf } from "./kind-of.ts";
import type * as registered from "./registered.ts";

/** The names of the resource kinds, as they stand in addresses: those of the registered kinds. */
export type KindName = (typeof registered)[keyof typeof registered]["name"];

/** Any registered kind of resource. */
export type Kind = KindOf<KindName, KindName>;

/** Where a declared value came from: for `why` and for error messages. */
export interface Origin {
  readonly at: Position;
  /** The policy, exception, layer or source it came through. */
  readonly through?: string;
}
