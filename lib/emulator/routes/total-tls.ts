import { jsonBody, zoneRoute, type Call, type Route } from "../call.ts";
import { PACK_AUTHORITIES } from "../certificates/authority.ts";
import { beginTotalTls } from "../certificates/total-tls.ts";
import { success, type Reply } from "../envelope.ts";
import { ServiceError } from "../errors.ts";
import type { Zone } from "../store.ts";

const PATH = "/acm/total_tls";

/** GET and POST /acm/total_tls; there is no PUT (docs/service.md#total-tls). */
export function totalTlsRoutes(): Route[] {
  return [zoneRoute("GET", PATH, (_call, zone) => show(zone)), zoneRoute("POST", PATH, set)];
}

/**
 * Throws 1450 without the entitlement, 1467 when nothing would change (so a client has to read first), and 1482 while the
 * service works on the last change.
 */
function set(call: Call, zone: Zone): Reply {
  if (!zone.grants.certificateManager)
    throw new ServiceError(403, { code: 1450, message: "Advanced Certificate Manager is required" });
  const body = jsonBody(call);
  const enabled = body["enabled"];
  const wanted = body["certificate_authority"] ?? zone.totalTls.authority;
  if (typeof enabled !== "boolean") throw invalid("enabled must be true or false");
  const authority = PACK_AUTHORITIES.find((known) => known === wanted);
  if (authority === undefined) throw invalid("unknown certificate authority");
  if (enabled === zone.totalTls.enabled && authority === zone.totalTls.authority)
    throw new ServiceError(400, { code: 1467, message: "There is no state change" });
  if (call.now < zone.totalTls.jobEndsAt)
    throw new ServiceError(409, { code: 1482, message: "The previous job is still running" });
  Object.assign(zone.totalTls, { enabled, authority });
  beginTotalTls(call.core, zone, call.now);
  return show(zone);
}

function show(zone: Zone): Reply {
  const { enabled, authority } = zone.totalTls;
  return success({ enabled, certificate_authority: authority, validity_period: 90 });
}

function invalid(message: string): ServiceError {
  return new ServiceError(400, { code: 1434, message });
}
