import { jsonBody, param, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import type { Zone } from "../store.ts";
import { absent, gone, oldRoute } from "../waf/gone.ts";
import { listed } from "../waf/listing.ts";
import { overrideView, readOverride } from "../waf/overrides.ts";
import type { UriOverride } from "../waf/record.ts";

const ONE = "/overrides/:override";

/**
 * /zones/{id}/firewall/waf/overrides: URI-based overrides, which only the API makes (docs/service.md#waf-migration,
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

/** In the public behaviour every one of these calls is 410 already (docs/service-coverage.md#choices, row 6). */
function overrideRoute(method: Route["method"], path: string, handler: (call: Call, zone: Zone) => Reply): Route {
  return oldRoute(method, path, (call, zone) => {
    if (call.core.behaviour.overridesGone) throw gone("URI-based overrides are no longer supported");
    return handler(call, zone);
  });
}

function list(call: Call, zone: Zone): Reply {
  return listed<UriOverride>(call.query, zone.waf.overrides, { filters: {}, orders: {}, view: overrideView });
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
