import type { Token } from "./store.ts";

/** Which permission group each family of calls needs, by the beginning of the route; the first that fits decides (docs/service.md#permissions). */
const FAMILIES: readonly (readonly [begin: string, read: string, write: string])[] = [
  ["/zones/:zone/purge_cache", "Cache Purge", "Cache Purge"],
  ["/zones/:zone/invalidate_cache", "Cache Purge", "Cache Purge"],
  ["/zones/:zone/environments", "Cache Purge", "Cache Purge"],
  ["/zones/:zone/dns_records", "DNS Read", "DNS Write"],
  ["/zones/:zone/hold", "Zone Read", "Zone Write"],
  ["/zones/:zone/rulesets", "Zone WAF Read", "Zone WAF Write"],
  ["/zones/:zone/waf_migration", "Zone WAF Read", "Zone WAF Write"],
  ["/zones/:zone/firewall/waf/overrides", "Zone Settings Read", "Zone Settings Write"],
  ["/zones/:zone/firewall", "Firewall Services Read", "Firewall Services Write"],
  ["/zones/:zone/filters", "Firewall Services Read", "Firewall Services Write"],
  ["/zones/:zone/pagerules", "Page Rules Read", "Page Rules Write"],
  ["/zones/:zone/settings", "Zone Settings Read", "Zone Settings Write"],
  ["/zones/:zone/custom_hostnames", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/ssl", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/acm", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/custom_certificates", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/custom_csrs", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/accounts/:account/custom_csrs", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/subscription", "Billing Read", "Billing Write"],
  ["/zones", "Zone Read", "Zone Write"],
];

/**
 * Whether the token may make the call: a read-only token can only read, one with permission groups only what they allow,
 * where writing includes reading. What belongs to no group, such as `/user`, is open to all.
 */
export function permits(token: Token, method: string, route: string): boolean {
  const { permissions } = token;
  if (permissions === "all") return true;
  if (permissions === "read") return method === "GET";
  const family = FAMILIES.find(([begin]) => route === begin || route.startsWith(`${begin}/`));
  if (family === undefined) return true;
  const [, read, write] = family;
  return permissions.includes(write) || (method === "GET" && permissions.includes(read));
}
