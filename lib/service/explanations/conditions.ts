import type { Meant } from "./statuses.ts";

/** A documented condition that no response of the API has a code for. */
export interface Condition extends Meant {
  readonly code: string;
}

/**
 * Conditions without a code or status (docs/service.md#traffic, docs/service.md#issuance-limit,
 * docs/service.md#waf-migration). 1016, which a hostname's visitors see, has three causes.
 */
export const CONDITIONS: readonly Condition[] = [
  {
    code: "1016",
    cause: "visitors see this error: the hostname cannot be routed, because its ownership is not validated",
    remedy: "look at its verification_errors: zoneform certificates search HOSTNAME",
  },
  {
    code: "1016",
    cause: "visitors see this error: the fallback origin is not set, or its DNS record is missing",
    remedy: "declare fallback_origin, and give its name a proxied A, AAAA or CNAME record in the zone",
  },
  {
    code: "1016",
    cause:
      "visitors see this error: a wildcard covers the name, but its domain is also a zone at Cloudflare, which takes precedence even without a DNS record",
    remedy: "declare the hostname too, beside the wildcard",
  },
  {
    code: "issuance-limit",
    cause: "more than 15 certificates were ordered in a minute; only orders that succeed count",
    remedy: "wait 30 seconds; Zoneform paces itself by budget.issuance, and the account team can raise the limit",
  },
  {
    code: "support-only",
    cause: "more than 200 firewall rules need to be migrated, or one has an expression longer than 4 KB",
    remedy: "ask Cloudflare's support to migrate the zone, or remove or shorten rules first",
  },
];
