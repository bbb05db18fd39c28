import { bucketed } from "../../core/lists.ts";
import { leadsNowhere, type OriginHealth } from "../../engine/hostnames/origin-health.ts";
import type { ZoneStatus } from "../../engine/hostnames/status.ts";

/** What needs a person for one reason, which `zoneform explain` explains; it may be nothing. */
export interface Attention {
  readonly reason: string;
  /** Hostnames, certificates and origins. */
  readonly names: readonly string[];
}

/** Everything in a zone that needs a person, besides what was changed outside Zoneform. */
export function attentionOf(status: ZoneStatus): readonly Attention[] {
  const { stuck, blocked, moved, expired, expiring, dnsLeft, checks, origins, standalone, judgement } = status;
  const drifted = "drifted" in judgement ? judgement.drifted : [];
  const byReason = [...bucketed(stuck, ({ reason }) => reason)];
  return [
    { reason: "1016", names: [...originsToNowhere(origins), ...hostnamesOf(standalone?.overruled ?? [])] },
    { reason: "blocked", names: hostnamesOf(blocked) },
    { reason: "moved", names: hostnamesOf(moved) },
    { reason: "expired-hostnames", names: expired },
    { reason: "vanished-hostnames", names: drifted.flatMap(({ what, key }) => (what === "vanished" ? [key] : [])) },
    { reason: "pending_expiration", names: hostnamesOf(expiring) },
    { reason: "does-not-cname", names: hostnamesOf(dnsLeft) },
    { reason: "denied-live-value", names: [...new Set(checks.flatMap(({ hostnames }) => hostnames))] },
    ...byReason.map(([reason, some]) => ({ reason, names: some.map(({ subject }) => subject) })),
  ];
}

function hostnamesOf(found: readonly { readonly hostname: string }[]): readonly string[] {
  return found.map(({ hostname }) => hostname);
}

/** Origins whose visitors see error 1016. */
function originsToNowhere({ fallback, customOrigins }: OriginHealth = { customOrigins: [] }): readonly string[] {
  const isDown = fallback !== undefined && leadsNowhere({ fallback, customOrigins: [] });
  const missing = customOrigins.filter(({ record }) => record === "missing");
  return [...(isDown ? [fallback.origin ?? "fallback origin"] : []), ...missing.map(({ origin }) => origin)];
}
