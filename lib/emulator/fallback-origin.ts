import type { Core } from "./core.ts";
import type { DnsRecord, FallbackOrigin, Zone } from "./store.ts";

/** How long a fallback origin takes to be deployed and to be deleted (docs/service.md#fallback-origin). */
export const FALLBACK_MILLISECONDS = { deployment: 2000, deletion: 3000, retry: 60_000 } as const;

const DNS_TEXTS = [
  "DNS records are not setup correctly.",
  "Origin should be a proxied A/AAAA/CNAME DNS record.",
] as const;

const ORIGIN_TYPES: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME"]);

/** The next step of the zone's fallback origin when it is due: active if a proxied record exists, gone if it was deleted. */
export function stepFallbackOrigin(core: Core, zone: Zone, at: number): void {
  const fallback = zone.fallbackOrigin;
  if (fallback === null) return;
  if (fallback.status === "pending_deletion") {
    zone.fallbackOrigin = null;
    return;
  }
  const isServed = [...zone.records.values()].some((record) => record.proxied && serves(record, fallback.origin));
  fallback.status = isServed ? "active" : "pending_deployment";
  fallback.errors = isServed ? [] : [...DNS_TEXTS];
  fallback.updatedAt = at;
  wakeFallbackOrigin(core, zone, fallback, isServed ? null : at + FALLBACK_MILLISECONDS.retry);
}

/** Sets when the fallback origin next changes (ms since the epoch), or that it waits for nothing. */
export function wakeFallbackOrigin(core: Core, zone: Zone, fallback: FallbackOrigin, at: number | null): void {
  fallback.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "fallback", zoneId: zone.id, id: zone.id });
}

/** Whether the record carries traffic for the name. */
export function serves(record: DnsRecord, name: string): boolean {
  return record.name === name && ORIGIN_TYPES.has(record.type);
}
