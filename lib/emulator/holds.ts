import { type Call, jsonBody, type Route, zoneRoute } from "./call.ts";
import type { Core } from "./core.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import type { Json } from "./json.ts";
import type { Zone } from "./store.ts";

/** GET, POST, PATCH and DELETE /zones/{id}/hold (docs/service.md#zone-holds). */
export function holdRoutes(): Route[] {
  return [
    zoneRoute("GET", "/hold", (_call, zone) => show(zone)),
    zoneRoute("POST", "/hold", hold),
    zoneRoute("PATCH", "/hold", edit),
    zoneRoute("DELETE", "/hold", release),
  ];
}

function hold(call: Call, zone: Zone): Reply {
  requireEnterprise(zone);
  zone.hold = { held: true, includeSubdomains: call.query.get("include_subdomains") === "true", after: null };
  return show(zone);
}

/** A `hold_after` in the future suspends the hold until then, and null ends it. A past one, or "" for now, resumes a suspended hold. */
function edit(call: Call, zone: Zone): Reply {
  requireEnterprise(zone);
  requireHold(zone);
  const { hold_after: after, include_subdomains: subdomains } = jsonBody(call);
  if (subdomains !== undefined && typeof subdomains !== "boolean")
    throw invalid("include_subdomains must be a boolean");
  const until = after === undefined || after === null ? undefined : readTime(call, after);
  if (subdomains !== undefined) zone.hold.includeSubdomains = subdomains;
  if (after === null) zone.hold = { ...zone.hold, held: false, after: null };
  if (until === undefined) return show(zone);
  if (until > call.now) suspendHold(call.core, zone, until);
  else if (!zone.hold.held) resumeHold(zone);
  return show(zone);
}

/** Ends the hold, or suspends it until the `hold_after` of the query. */
function release(call: Call, zone: Zone): Reply {
  requireHold(zone);
  const after = call.query.get("hold_after");
  const until = after === null ? undefined : readTime(call, after);
  if (until !== undefined && until > call.now) suspendHold(call.core, zone, until);
  else if (until === undefined) zone.hold = { held: false, includeSubdomains: false, after: null };
  return show(zone);
}

function readTime(call: Call, value: Json): number {
  if (value === "") return call.now;
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw invalid("hold_after must be an RFC 3339 time");
  return time;
}

/** Throws 1003 if no hold is set. A suspended hold is still set. */
function requireHold(zone: Zone): void {
  if (!zone.hold.held && zone.hold.after === null)
    throw new ServiceError(400, { code: 1003, message: "No zone hold is set" });
}

function requireEnterprise(zone: Zone): void {
  if (zone.plan !== "enterprise")
    throw new ServiceError(403, { code: 1005, message: "Zone hold is only available to Enterprise zones" });
}

/** The code is not published (inferred). */
function invalid(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message });
}

/** The time of `hold_after` as the caller most likely sent it: without fractions. A client that reads it back sees no change. */
function show(zone: Zone): Reply {
  const { held, after, includeSubdomains } = zone.hold;
  const holdAfter = after === null ? "" : new Date(after).toISOString().replace(".000Z", "Z");
  return success({ hold: held, hold_after: holdAfter, include_subdomains: includeSubdomains });
}

/** Suspends the hold until a time (ms since the epoch), when it resumes by itself (docs/service.md#zone-holds). */
function suspendHold(core: Core, zone: Zone, until: number): void {
  zone.hold.held = false;
  zone.hold.after = until;
  core.timers.set({ at: until, kind: "hold", zoneId: zone.id, id: zone.id });
}

/** Resumes a suspended hold. */
export function resumeHold(zone: Zone): void {
  zone.hold.held = true;
  zone.hold.after = null;
}
