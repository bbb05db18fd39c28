import { type Call, jsonBody, type Route, zoneRoute } from "./call.ts";
import { timestamp } from "./clock.ts";
import type { Core } from "./core.ts";
import { checkedOrigin } from "./custom-hostnames/input.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import type { JsonObject } from "./json.ts";
import { type FallbackOrigin, serves, type Zone } from "./store.ts";

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

/** Begins to delete the fallback origin, which takes a while. Until then GET still answers. */
function remove(call: Call, zone: Zone): Reply {
  const fallback = present(zone);
  if (fallback.status === "pending_deletion") throw inTransition();
  fallback.status = "pending_deletion";
  fallback.errors = [];
  fallback.updatedAt = call.now;
  wakeFallbackOrigin(call.core, zone, fallback, call.now + FALLBACK_MILLISECONDS.deletion);
  return success(view(fallback));
}

/** Throws 1551 if none is set; the Crossplane provider knows this code (public). */
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

/** How long it takes to deploy and to delete a fallback origin, and to check a missing record again (docs/service.md#fallback-origin). */
export const FALLBACK_MILLISECONDS = { deployment: 2000, deletion: 3000, retry: 60_000 } as const;

const DNS_TEXTS = [
  "DNS records are not setup correctly.",
  "Origin should be a proxied A/AAAA/CNAME DNS record.",
] as const;

/** Takes the next step of the zone's fallback origin when it is due: active if a proxied record exists, gone if it was being deleted. */
export function stepFallbackOrigin(core: Core, zone: Zone, at: number): void {
  const fallback = zone.fallbackOrigin;
  if (fallback === null) return;
  if (fallback.status === "pending_deletion") {
    zone.fallbackOrigin = null;
    return;
  }
  const isServed = [...zone.records.values()].some((record) => record.proxied && serves(record, fallback.origin));
  fallback.status = isServed ? "active" : "pending_deployment";
  fallback.errors = isServed ? [] : [...DNS_TEXTS];
  fallback.updatedAt = at;
  wakeFallbackOrigin(core, zone, fallback, isServed ? null : at + FALLBACK_MILLISECONDS.retry);
}

/** Sets when the fallback origin next changes (ms since the epoch); null if it waits for nothing. */
export function wakeFallbackOrigin(core: Core, zone: Zone, fallback: FallbackOrigin, at: number | null): void {
  fallback.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "fallback", zoneId: zone.id, id: zone.id });
}
