import type { Position } from "../core/diagnostic.ts";
import type { Compared } from "./traits/compared.ts";
import type { Declared } from "./traits/declared.ts";
import type { Identity } from "./traits/identity.ts";
import type { Judged } from "./traits/judged.ts";
import type { Read, Written } from "./traits/remote.ts";
import type { Strategies } from "./traits/strategies.ts";

/** The names of the resource kinds, as they stand in addresses. */
export type KindName =
  | "fallback_origin"
  | "custom_hostname"
  | "certificate_pack"
  | "ruleset"
  | "waf_migration"
  | "total_tls";

/**
 * A kind of resource: everything that the engine needs to know about it, and the only place that knows it. `Declared`,
 * `Compared`, `Judged` and what `Strategies` holds are pure; `Read` and `Written` call the service.
 */
export type Kind = Identity<KindName> & Declared & Compared & Judged & Read & Written & Strategies<KindName>;

/** Where a declared value came from: for `why` and for error messages. */
export interface Origin {
  readonly at: Position;
  /** The policy, exception, layer or source it came through. */
  readonly through?: string;
}
