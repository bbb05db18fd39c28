import type { Meant } from "./statuses.ts";

/** A documented condition that no answer of the API has a code for. */
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
    cause: "a visitor sees it: the hostname cannot be routed, because its ownership is not validated",
    remedy: "see its verification_errors: zoneform certificates search HOSTNAME",
  },
  {
    code: "1016",
    cause: "a visitor sees it: the fallback origin is not set, or its DNS record is missing",
    remedy: "declare fallback_origin, and give its name a proxied A, AAAA or CNAME record in the zone",
  },
  {
    code: "1016",
    cause:
      "a visitor sees it: there is a wildcard for the name, but its domain is a zone of the service by itself, which takes precedence even without a DNS record",
    remedy: "declare the hostname by itself, beside the wildcard",
  },
  {
    code: "issuance-limit",
    cause: "more than 15 certificates were ordered in a minute; only orders that succeed count",
    remedy: "wait 30 seconds; zoneform paces itself by budget.issuance, and the account team can raise the limit",
  },
  {
    code: "support-only",
    cause: "more than 200 firewall rules would have to be migrated, or the expression of one is longer than 4 KB",
    remedy: "have the service's support migrate the zone, or remove or shorten rules first",
  },
];
