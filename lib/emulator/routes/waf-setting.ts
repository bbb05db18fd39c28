import { jsonBody, zoneRoute, type Call, type Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import type { Zone } from "../store.ts";
import { badInput } from "../waf/gone.ts";
import { hasPrevious } from "../waf/record.ts";

/** /zones/{id}/settings/waf: the global switch of the previous managed rules. Without them it is a 400 (docs/service.md#waf-migration). */
export function wafSettingRoutes(): Route[] {
  return [settingRoute("GET", (_call, zone) => show(zone)), settingRoute("PATCH", edit)];
}

function settingRoute(method: Route["method"], handler: (call: Call, zone: Zone) => Reply): Route {
  return zoneRoute(method, "/settings/waf", (call, zone) => {
    if (!hasPrevious(zone.waf)) throw badInput("the setting waf does not exist in this zone: deploy managed rulesets");
    return handler(call, zone);
  });
}

function edit(call: Call, zone: Zone): Reply {
  const { value } = jsonBody(call);
  if (value !== "on" && value !== "off") throw badInput("value must be on or off");
  zone.waf.isOn = value === "on";
  return show(zone);
}

function show(zone: Zone): Reply {
  return success({ id: "waf", value: zone.waf.isOn ? "on" : "off", editable: true });
}
