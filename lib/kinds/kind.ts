import type { KindOf } from "./kind-of.ts";
import type * as registered from "./registered.ts";

/** The names of the registered kinds, as in addresses. */
export type KindName = (typeof registered)[keyof typeof registered]["name"];

/** Any registered kind of resource. */
export type Kind = KindOf<KindName, KindName, string>;

/** The codes that only one kind raises, from the tables of the registered kinds. */
type KindCode = {
  [Each in keyof typeof registered]: keyof (typeof registered)[Each]["ownCodes"];
}[keyof typeof registered];

// Adds these codes to those of diagnostics: core knows no kinds, but leaves this type open.
declare module "../core/diagnostic-code.ts" {
  interface KindCodes extends Record<KindCode, unknown> {}
}
