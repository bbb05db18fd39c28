import type { Core } from "../core.ts";
import type { CustomHostname } from "../custom-hostnames/record.ts";
import type { Zone } from "../store.ts";
import { ancestors, isUnder } from "../world.ts";

/** Whose request it is. */
export type Route =
  | { readonly kind: "custom"; readonly zone: Zone; readonly record: CustomHostname }
  | { readonly kind: "own"; readonly zone: Zone }
  /** A zone of its own that has no record for the name; undefined for one in the outside world. */
  | { readonly kind: "standalone"; readonly zone: Zone | undefined };

/**
 * An individual custom hostname goes first; then the zone that the name belongs to, even without a record for it; and only
 * then a wildcard custom hostname (docs/service.md#traffic). Undefined for a name that no zone serves.
 */
export function routeOf(core: Core, name: string): Route | undefined {
  const exact = customHostname(core, [name]);
  if (exact !== undefined) return exact;
  const zone = ownZone(core, name);
  if (zone !== undefined && hasRecord(zone, name)) return { kind: "own", zone };
  const isOutside = ancestors(name).some((domain) => isZone(core, domain));
  const wildcard = customHostname(core, wildcardsOf(name));
  if (wildcard === undefined) return undefined;
  return isOutside || zone !== undefined ? { kind: "standalone", zone } : wildcard;
}

/** If two zones have the hostname, the one that verified it serves it. */
function customHostname(core: Core, names: readonly string[]): Route | undefined {
  let found: Route | undefined;
  for (const zone of core.store.zones.values()) {
    for (const name of names) {
      const record = zone.hostnames.named(name);
      const isMeant = record !== undefined && (names.length === 1 || name.startsWith("*.") || isWide(record));
      if (!isMeant) continue;
      if (record.status === "active" || record.status === "active_redeploying") return { kind: "custom", zone, record };
      found ??= { kind: "custom", zone, record };
    }
  }
  return found;
}

function isWide(record: CustomHostname): boolean {
  return record.ssl?.wildcard === true;
}

/** `*.parent`, or the parent itself with a wildcard certificate. One level only, as in certificates. */
function wildcardsOf(name: string): string[] {
  const [, parent] = /^[^.]+\.(.+)$/.exec(name) ?? [];
  return parent === undefined ? [] : [`*.${parent}`, parent];
}

/** The zone with the longest name. */
function ownZone(core: Core, name: string): Zone | undefined {
  const zones = [...core.store.zones.values()].filter((zone) => isUnder(name, zone.name));
  return zones.sort((a, b) => b.name.length - a.name.length)[0];
}

function hasRecord(zone: Zone, name: string): boolean {
  return [...zone.records.values()].some((record) => record.proxied && record.name === name);
}

function isZone(core: Core, domain: string): boolean {
  const answer = core.world.dns.get(domain);
  return answer?.zone === true || answer?.held !== undefined;
}
