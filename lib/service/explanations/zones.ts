import { type Codes, notFound, refused } from "./entry.ts";

/** Zones (docs/service.md#zones-and-plans). */
export const ZONES: Codes = {
  1052: refused("Cloudflare refuses to create this zone", "create it in the dashboard, which shows the reason"),
  1061: refused("a zone with this name already exists", "use that zone: put its id into the YAML"),
  1099: refused("Cloudflare refuses to create this zone", "create it in the dashboard, which shows the reason"),
  1116: refused("Cloudflare refuses to create this zone", "create it in the dashboard, which shows the reason"),
};

/** Zone holds (docs/service.md#zone-holds). */
export const HOLDS: Codes = {
  1003: notFound("the zone has no hold", "there is nothing to release"),
  1005: refused("only Enterprise zones can have a hold", "upgrade the subscription, or remove the hold from the YAML"),
};

const SAME_RECORD = refused("a DNS record like this already exists", "use the existing record");

/** DNS records (docs/service.md#error-codes, docs/service.md#dns-records). */
export const DNS_RECORDS: Codes = {
  1003: refused("this DNS setting is not available for the zone", "leave it out, or upgrade the subscription"),
  1039: refused(
    "the record is the zone's fallback origin, and cannot be deleted while it is",
    "remove the fallback origin, wait until it is gone, then delete the record",
  ),
  81044: notFound("the DNS record does not exist", "plan again: it was deleted meanwhile"),
  81057: SAME_RECORD,
  81058: SAME_RECORD,
};

/** The fallback origin (docs/service.md#fallback-origin). */
export const FALLBACK_ORIGIN: Codes = {
  1414: refused("the fallback origin is still being deployed", "wait a minute, then apply again"),
  1456: refused("the account has no access to custom hostnames", "ask Cloudflare to enable them for the account"),
  1551: notFound("the zone has no fallback origin", "plan again to set it"),
};
