import { ADMIN_PREFIX, DASHBOARD, run } from "../answer.ts";
import { type Call, jsonBody, param, type Route } from "../call.ts";
import type { Core } from "../core.ts";
import { generalError, type Reply, type ServiceRequest, type ServiceResponse, success } from "../messages.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { Router } from "../router.ts";
import { MANAGED_PHASE } from "../rulesets/managed.ts";
import { plantWaf } from "../seed/plant-waf.ts";
import type { SeedWaf } from "../seed/shape.ts";
import { readWaf } from "../seed/seed.ts";
import type { Zone } from "../store.ts";
import { deriveConfig } from "../waf/derive.ts";
import { reasonsAgainst } from "../waf/eligibility.ts";
import { finishSoon } from "../waf/migration.ts";
import { badInput } from "../waf/old-api.ts";
import { edgeView, runsNew } from "../waf/status.ts";

const BASE = "/zones/:zone/waf";

/** The dashboard's steps of the migration (docs/service.md#waf-migration), and calls that show or set a zone's managed rules. */
export function wafAdminRoutes(core: Core, api: Router): Route[] {
  const on = (method: Route["method"], path: string, act: (call: Call, zone: Zone) => Reply): Route => ({
    method,
    path: `${BASE}${path}`,
    handler: (call) => act(call, zoneOf(core, call)),
  });
  return [
    on("GET", "", (call, zone) => success(edgeView(zone, call.now, call.query.get("url")))),
    on("PUT", "", set),
    on("POST", "/deploy", (call, zone) => deploy(api, call, zone)),
    on("POST", "/ready", ready),
    on("POST", "/turn-off-previous", turnOffPrevious),
  ];
}

/** Replaces the zone's managed rules. The body has the keys of `waf` in a seed. */
function set(call: Call, zone: Zone): Reply {
  plantWaf(call.core, zone, readWaf(jsonBody(call)));
  return success(edgeView(zone, call.now, null));
}

/**
 * "Deploy": saves the reviewed rules in the body, or without a body the derived ones. On Enterprise both versions then run. On Pro
 * and Business the service then turns off the previous version.
 */
function deploy(api: Router, call: Call, zone: Zone): Reply {
  if (zone.waf.migration.state !== "start") throw badInput("the dashboard only offers to deploy before the migration");
  const reviewed = call.body === undefined || call.body === "" ? deriveConfig(zone.waf) : jsonBody(call);
  const mode = zone.plan === "enterprise" ? "validation" : "pending";
  const { route, params } = api.find("PUT", `/zones/${zone.id}/rulesets/phases/${MANAGED_PHASE}/entrypoint`);
  return run(route, {
    ...call,
    params,
    query: new URLSearchParams({ waf_migration: mode, phase_two: "1" }),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...reviewed, rules: withoutUnassigned(reviewed["rules"]) }),
    token: DASHBOARD,
    isDashboard: true,
  });
}

/** "Ready to update": the last step but one, offered in validation. */
function ready(call: Call, zone: Zone): Reply {
  const { migration } = zone.waf;
  if (migration.state !== "validation" || migration.dueAt !== null)
    throw badInput("the dashboard only shows Ready to update in validation");
  migration.isReady = true;
  return success(edgeView(zone, call.now, null));
}

/** "Turn off previous version": finishes the migration. */
function turnOffPrevious(call: Call, zone: Zone): Reply {
  if (!zone.waf.migration.isReady) throw badInput("select Ready to update first");
  const [reason] = reasonsAgainst(zone.waf, 2);
  if (reason !== undefined) throw badInput(reason.message);
  if (!runsNew(zone, call.now)) throw badInput("the new managed rules are not enabled");
  finishSoon(call.core, zone, call.now);
  return success(edgeView(zone, call.now, null));
}

function withoutUnassigned(rules: Json | undefined): Json[] {
  if (!Array.isArray(rules)) return [];
  return rules.map((rule) => {
    if (!isObject(rule)) return rule;
    const members = Object.entries(rule).filter(
      ([name, value]) => !["id", "version", "ref"].includes(name) || value !== "",
    );
    const kept: JsonObject = Object.fromEntries(members);
    return kept;
  });
}

function zoneOf(core: Core, call: Call): Zone {
  const zone = core.store.zones.get(param(call, "zone"));
  if (zone === undefined) throw generalError(7003);
  return zone;
}

/** The WAF calls of the admin API as functions (docs/service.md#waf-migration). */
export interface WafAdmin {
  /** "Deploy": the reviewed ruleset, or the derived one when there is none. */
  deploy(zoneId: string, reviewed?: Json): ServiceResponse;
  /** "Ready to update", in validation. */
  ready(zoneId: string): ServiceResponse;
  /** "Turn off previous version", after "Ready to update". */
  turnOffPrevious(zoneId: string): ServiceResponse;
  /** Replaces the zone's managed rules by those of a seed. */
  set(zoneId: string, waf: SeedWaf): ServiceResponse;
  /** Which managed rules the edge runs, for a URL such as `https://saas.net/x` if one is given. */
  look(zoneId: string, url?: string): ServiceResponse;
}

/** Creates the functions, which send their requests to `handle`. */
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
