import { type Call, jsonBody, param, type Route, zoneRoute } from "./call.ts";
import { timestamp } from "./clock.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import type { Zone } from "./store.ts";
import { badInput } from "./waf/old-api.ts";
import { hasPrevious } from "./waf/previous-waf.ts";

const SWITCH = ["on", "off"];

/** Each setting with its values. A new zone has the first value (inferred: no published page was available). */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  always_use_https: ["off", "on"],
  automatic_https_rewrites: SWITCH,
  min_tls_version: ["1.0", "1.1", "1.2", "1.3"],
  opportunistic_encryption: SWITCH,
  security_level: ["medium", "off", "essentially_off", "low", "high", "under_attack"],
  ssl: ["full", "off", "flexible", "strict", "origin_pull"],
  tls_1_3: ["on", "off", "zrt"],
};

/** GET and PATCH /zones/{id}/settings/{name}, for settings whose value is a string. */
export function zoneSettingRoutes(): Route[] {
  return [zoneRoute("GET", "/settings/:name", show), zoneRoute("PATCH", "/settings/:name", edit)];
}

function show(call: Call, zone: Zone): Reply {
  const name = param(call, "name");
  const [usual = ""] = valuesOf(name);
  const set = zone.settings?.[name];
  const modified = set === undefined ? null : timestamp(set.modifiedAt);
  return success({ id: name, value: set?.value ?? usual, modified_on: modified, editable: true });
}

function edit(call: Call, zone: Zone): Reply {
  const name = param(call, "name");
  const { value } = jsonBody(call);
  if (typeof value !== "string" || !valuesOf(name).includes(value)) {
    throw new ServiceError(400, { code: 1007, message: `Invalid value for zone setting ${name}` });
  }
  zone.settings = { ...zone.settings, [name]: { value, modifiedAt: call.now } };
  return show(call, zone);
}

/** The values of a setting. Throws 1006 for an unknown one; users of the service report this code (inferred). */
function valuesOf(name: string): readonly string[] {
  const values = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (values === undefined) throw new ServiceError(400, { code: 1006, message: "Unrecognized zone setting name" });
  return values;
}

/** /zones/{id}/settings/waf, which turns all previous managed rules on or off. A zone without them answers 400 (docs/service.md#waf-migration). */
export function wafSettingRoutes(): Route[] {
  return [wafRoute("GET", (_call, zone) => showWaf(zone)), wafRoute("PATCH", editWaf)];
}

function wafRoute(method: Route["method"], handler: (call: Call, zone: Zone) => Reply): Route {
  return zoneRoute(method, "/settings/waf", (call, zone) => {
    if (!hasPrevious(zone.waf)) throw badInput("the setting waf does not exist in this zone: deploy managed rulesets");
    return handler(call, zone);
  });
}

function editWaf(call: Call, zone: Zone): Reply {
  const { value } = jsonBody(call);
  if (value !== "on" && value !== "off") throw badInput("value must be on or off");
  zone.waf.isOn = value === "on";
  return showWaf(zone);
}

function showWaf(zone: Zone): Reply {
  return success({ id: "waf", value: zone.waf.isOn ? "on" : "off", editable: true });
}
