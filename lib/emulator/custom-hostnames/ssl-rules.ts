import type { Behaviour } from "../behaviour.ts";
import type { CustomCsr } from "../certificates/csr.ts";
import type { Core } from "../core.ts";
import type { Ids } from "../ids.ts";
import type { Zone } from "../store.ts";

/** What the rules about `ssl` depend on besides the request. */
export interface SslRules {
  readonly zone: Zone;
  readonly behaviour: Behaviour;
  readonly hostname: string;
  /** A hostname that has a certificate keeps its branding, so its length was checked at creation. */
  readonly isNew: boolean;
  readonly brandingAtTop: boolean;
  /** It covers a wildcard already; a PATCH does not have to repeat that. */
  readonly isWildcard: boolean;
  readonly csrs: ReadonlyMap<string, CustomCsr>;
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The rules for a hostname of the zone, at the present time. */
export function sslRules(
  core: Core,
  zone: Zone,
  about: Pick<SslRules, "hostname" | "isNew" | "brandingAtTop" | "isWildcard">,
): SslRules {
  return { ...about, zone, behaviour: core.behaviour, csrs: core.store.csrs, ids: core.ids, now: core.clock.now() };
}
