import { type Call, jsonBody, param, type Route } from "../call.ts";
import { copy, isObject, type JsonObject } from "../json.ts";
import { type Reply, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import { absent, badInput, gone, listed, oldRoute } from "./old-api.ts";
import type { UriOverride } from "./previous-waf.ts";

const ONE = "/overrides/:override";

/**
 * /zones/{id}/firewall/waf/overrides: URI-based overrides, which can only be made by API (docs/service.md#waf-migration,
 * docs/service.md#previous-waf).
 */
export function wafOverrideRoutes(): Route[] {
  return [
    overrideRoute("GET", "/overrides", list),
    overrideRoute("POST", "/overrides", create),
    overrideRoute("GET", ONE, (call, zone) => success(overrideView(found(call, zone)))),
    overrideRoute("PUT", ONE, replace),
    overrideRoute("DELETE", ONE, remove),
  ];
}

/** In the public behaviour all of these calls answer 410 (docs/service-coverage.md#choices, row 6). */
function overrideRoute(method: Route["method"], path: string, handler: (call: Call, zone: Zone) => Reply): Route {
  return oldRoute(method, path, (call, zone) => {
    if (call.core.behaviour.overridesGone) throw gone("URI-based overrides are no longer supported");
    return handler(call, zone);
  });
}

function list(call: Call, zone: Zone): Reply {
  return listed<UriOverride>(call.query, zone.waf.overrides, { view: overrideView });
}

function create(call: Call, zone: Zone): Reply {
  const override = { ...readOverride(jsonBody(call)), id: call.core.ids.hex(32) };
  zone.waf.overrides.push(override);
  return success(overrideView(override));
}

function replace(call: Call, zone: Zone): Reply {
  const override = Object.assign(found(call, zone), readOverride(jsonBody(call)));
  return success(overrideView(override));
}

function remove(call: Call, zone: Zone): Reply {
  const override = found(call, zone);
  zone.waf.overrides = zone.waf.overrides.filter((other) => other !== override);
  return success({ id: override.id });
}

function found(call: Call, zone: Zone): UriOverride {
  const id = param(call, "override");
  const override = zone.waf.overrides.find((candidate) => candidate.id === id);
  if (override === undefined) throw absent(`WAF override ${id}`);
  return override;
}

/** The part of a URI-based override that a caller sets. */
type OverrideInput = Omit<UriOverride, "id">;

/** Reads an override. A member that is absent takes its default. Throws a 400. */
export function readOverride(body: JsonObject): OverrideInput {
  const { urls, paused = false, priority = null, description = null } = body;
  if (!Array.isArray(urls) || urls.length === 0) throw badInput("urls must not be empty");
  if (typeof paused !== "boolean") throw badInput("paused must be true or false");
  if (priority !== null && typeof priority !== "number") throw badInput("priority must be a number");
  if (description !== null && typeof description !== "string") throw badInput("description must be a string");
  return {
    urls: urls.map((url) => {
      if (typeof url !== "string" || url === "") throw badInput("urls must be strings");
      return url;
    }),
    paused,
    priority,
    description,
    groups: objectIn(body, "groups"),
    rules: objectIn(body, "rules"),
    rewriteAction: objectIn(body, "rewrite_action"),
  };
}

/** An override as the API shows it. */
function overrideView({ rewriteAction, ...override }: UriOverride): JsonObject {
  return copy({ ...override, rewrite_action: rewriteAction });
}

function objectIn(body: JsonObject, name: string): JsonObject {
  const value = body[name] ?? {};
  if (!isObject(value)) throw badInput(`${name} must be an object`);
  return copy(value);
}
