import { ADMIN_PREFIX } from "../answer.ts";
import type { Json } from "../json.ts";
import type { ServiceRequest, ServiceResponse } from "../messages.ts";
import type { SeedWaf } from "../seed/shape.ts";

/** What the dashboard does with a zone's managed rules (docs/service.md#waf-migration), and what can be set and seen of them. */
export interface WafAdmin {
  /** "Deploy": the reviewed ruleset, or the derived one when there is none. */
  deploy(zoneId: string, reviewed?: Json): ServiceResponse;
  /** "Ready to update", in validation. */
  ready(zoneId: string): ServiceResponse;
  /** "Turn off previous version", after "Ready to update". */
  turnOffPrevious(zoneId: string): ServiceResponse;
  /** Replaces the zone's managed rules, as a seed would set them. */
  set(zoneId: string, waf: SeedWaf): ServiceResponse;
  /** What the edge runs, for a URL such as `https://saas.net/x` when one is given. */
  look(zoneId: string, url?: string): ServiceResponse;
}

/** The calls of the admin API as functions. */
export function createWafAdmin(handle: (request: ServiceRequest) => ServiceResponse): WafAdmin {
  const send = (method: string, zoneId: string, step: string, body?: unknown, query = {}): ServiceResponse => {
    const sent =
      body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const path = `${ADMIN_PREFIX}/zones/${zoneId}/waf${step}`;
    return handle({ method, path, query: new URLSearchParams(query), ...sent });
  };
  return {
    deploy: (zoneId, reviewed) => send("POST", zoneId, "/deploy", reviewed),
    ready: (zoneId) => send("POST", zoneId, "/ready"),
    turnOffPrevious: (zoneId) => send("POST", zoneId, "/turn-off-previous"),
    set: (zoneId, waf) => send("PUT", zoneId, "", waf),
    look: (zoneId, url) => send("GET", zoneId, "", undefined, url === undefined ? {} : { url }),
  };
}
