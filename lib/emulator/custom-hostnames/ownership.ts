import { ancestors, isUnder, pointsAt, type World } from "../world.ts";
import type { Store, Zone } from "../store.ts";
import { bareName, ownershipRecord, ownershipUrl } from "./view.ts";
import type { CustomHostname } from "./custom-hostname.ts";

/** The error of a hostname below a held domain (docs/service.md#hostname-lifecycle, docs/service.md#verification-errors). */
export const HOLD_TEXT =
  "The hostname is associated with a held zone. Please contact the owner of this domain to have the hold removed.";

/** The error right after creation, before the first check (docs/service.md#verification-errors). */
export const UNKNOWN_TEXT =
  "None of the A or AAAA records are owned by this account and the pre-generated ownership verification token was not found.";

const ELSEWHERE_TEXT = "custom hostname does not CNAME to this zone.";

const TOKEN_USELESS_TEXT =
  "The hostname is using the service and cannot be activated with a TXT or HTTP token: its DNS target has to point at the SaaS zone.";

/** Whether traffic for the name reaches the zone. */
export function reachesZone(world: World, zone: Zone, hostname: string): boolean {
  if (zone.validation === "automatic" && !world.dns.has(hostname)) return true;
  return pointsAt(world, hostname, zone.name, zone.apexAddresses);
}

/** Whether a hold that includes subdomains covers the name. It may be set in the outside world, or on another zone of the service. */
export function isUnderHold(store: Store, world: World, zone: Zone, hostname: string): boolean {
  const name = bareName(hostname);
  if (ancestors(name).some((domain) => world.dns.get(domain)?.held === "subdomains")) return true;
  for (const other of store.zones.values()) {
    const { held, includeSubdomains } = other.hold;
    if (held && includeSubdomains && other.id !== zone.id && isUnder(name, other.name)) return true;
  }
  return false;
}

/**
 * Why the hostname cannot be active: neither its CNAME nor a token proves ownership, or the fallback origin is not active
 * (docs/service.md#hostname-lifecycle).
 */
export function ownershipErrors(world: World, zone: Zone, custom: CustomHostname): string[] {
  const proven = reachesZone(world, zone, custom.hostname) || tokenFound(world, custom);
  const missing = proven ? [] : [missingText(world, custom)];
  return [...missing, ...fallbackErrors(zone, custom)];
}

function tokenFound(world: World, custom: CustomHostname): boolean {
  if (world.dns.get(custom.hostname)?.on_service === true) return false;
  const { name } = ownershipRecord(custom);
  const { http_url: url } = ownershipUrl(custom);
  const texts = typeof name === "string" ? world.dns.get(name)?.txt : undefined;
  if (texts?.includes(custom.ownershipToken) === true) return true;
  return typeof url === "string" && world.http.get(url)?.trim() === custom.ownershipToken;
}

function missingText(world: World, custom: CustomHostname): string {
  const answer = world.dns.get(custom.hostname);
  if (answer?.on_service === true) return TOKEN_USELESS_TEXT;
  return answer?.cname === undefined ? UNKNOWN_TEXT : ELSEWHERE_TEXT;
}

/** In a zone with automatic validation the fallback origin counts as set, just as DNS does. */
function fallbackErrors(zone: Zone, custom: CustomHostname): string[] {
  if (zone.validation === "automatic" || custom.customOriginServer !== null) return [];
  if (zone.fallbackOrigin === null) return ["Zone does not have a fallback origin set."];
  const { status } = zone.fallbackOrigin;
  return status === "active" ? [] : [`Fallback origin is in a status of ${status}.`];
}
