import { jsonBody, zoneRoute, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import { ServiceError } from "../errors.ts";
import { FILE_BUCKETS, PURGE_BUCKETS, readPurge } from "../purge.ts";
import type { Zone } from "../store.ts";

/** How many purges a zone remembers for the admin view. */
const REMEMBERED = 1000;

/** Purging by host and its siblings (docs/service.md#cache-purge). */
export function purgeRoutes(): Route[] {
  return [
    zoneRoute("POST", "/purge_cache", purge),
    zoneRoute("POST", "/invalidate_cache", purge),
    zoneRoute("POST", "/environments/:environment/purge_cache", purge),
    zoneRoute("POST", "/environments/:environment/invalidate_cache", purge),
  ];
}

/** 200 only says that the purge was accepted. What is refused takes nothing from the bucket. */
function purge(call: Call, zone: Zone): Reply {
  const { by, items } = readPurge(jsonBody(call), zone.plan);
  const isFiles = by === "files";
  const bucket = (isFiles ? FILE_BUCKETS : PURGE_BUCKETS)[zone.plan];
  const key = `${zone.accountId} ${zone.plan} ${isFiles ? "files" : "rest"}`;
  const wait = call.isDashboard ? 0 : call.core.purgeLimiter.take(key, bucket, isFiles ? items.length : 1, call.now);
  if (wait > 0) throw throttled(Math.ceil(wait / 1000));
  zone.purges.push({ at: call.now, by, items });
  if (zone.purges.length > REMEMBERED) zone.purges.shift();
  return success({ id: zone.id });
}

/** The code is not published; 971 is what other throttles answer (inferred). */
function throttled(seconds: number): ServiceError {
  const message = `Purge rate limit reached. Please wait ${seconds} seconds and consider throttling your request speed`;
  return new ServiceError(429, { code: 971, message }, { "retry-after": String(seconds) });
}
