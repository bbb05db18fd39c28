import { jsonBody, zoneRoute, type Call, type Route } from "../call.ts";
import { timestamp } from "../clock.ts";
import { checkedOrigin } from "../custom-hostnames/name.ts";
import { success, type Reply } from "../envelope.ts";
import { ServiceError } from "../errors.ts";
import { FALLBACK_MILLISECONDS, wakeFallbackOrigin } from "../fallback-origin.ts";
import type { JsonObject } from "../json.ts";
import type { FallbackOrigin, Zone } from "../store.ts";

const PATH = "/custom_hostnames/fallback_origin";

/** GET, PUT and DELETE of a zone's fallback origin (docs/service.md#fallback-origin). */
export function fallbackOriginRoutes(): Route[] {
  return [
    zoneRoute("GET", PATH, (_call, zone) => success(view(present(zone)))),
    zoneRoute("PUT", PATH, put),
    zoneRoute("DELETE", PATH, remove),
  ];
}

function put(call: Call, zone: Zone): Reply {
  const origin = checkedOrigin(jsonBody(call)["origin"]);
  if (zone.fallbackOrigin?.status === "pending_deletion") throw inTransition();
  const fallback: FallbackOrigin = {
    origin,
    status: "pending_deployment",
    errors: [],
    createdAt: zone.fallbackOrigin?.createdAt ?? call.now,
    updatedAt: call.now,
    dueAt: null,
  };
  zone.fallbackOrigin = fallback;
  wakeFallbackOrigin(call.core, zone, fallback, call.now + FALLBACK_MILLISECONDS.deployment);
  return success(view(fallback));
}

/** Deletion takes a while; GET answers until it is done. */
function remove(call: Call, zone: Zone): Reply {
  const fallback = present(zone);
  if (fallback.status === "pending_deletion") throw inTransition();
  fallback.status = "pending_deletion";
  fallback.errors = [];
  fallback.updatedAt = call.now;
  wakeFallbackOrigin(call.core, zone, fallback, call.now + FALLBACK_MILLISECONDS.deletion);
  return success(view(fallback));
}

/** Throws 1551, by which the Crossplane provider tells that none is set (public). */
function present(zone: Zone): FallbackOrigin {
  if (zone.fallbackOrigin === null) throw new ServiceError(404, { code: 1551, message: "Resource not found." });
  return zone.fallbackOrigin;
}

function inTransition(): ServiceError {
  return new ServiceError(400, { code: 1414, message: "The fallback origin is pending, try again later" });
}

function view(fallback: FallbackOrigin): JsonObject {
  return {
    origin: fallback.origin,
    status: fallback.status,
    errors: [...fallback.errors],
    created_at: timestamp(fallback.createdAt),
    updated_at: timestamp(fallback.updatedAt),
  };
}
