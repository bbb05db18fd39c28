import { jsonBody, param, zoneRoute, type Call, type Route } from "../call.ts";
import { timestamp } from "../clock.ts";
import { success, type Reply } from "../envelope.ts";
import { ServiceError } from "../errors.ts";
import type { Zone } from "../store.ts";

const SWITCH = ["on", "off"];

/** Each setting with the values that it takes, first the one that a new zone has (inferred: no published page was available). */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  always_use_https: ["off", "on"],
  automatic_https_rewrites: SWITCH,
  min_tls_version: ["1.0", "1.1", "1.2", "1.3"],
  opportunistic_encryption: SWITCH,
  security_level: ["medium", "off", "essentially_off", "low", "high", "under_attack"],
  ssl: ["full", "off", "flexible", "strict", "origin_pull"],
  tls_1_3: ["on", "off", "zrt"],
};

/** GET and PATCH /zones/{id}/settings/{name}, for settings that are one text. */
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

/** The codes are those that users report of the service (inferred). */
function valuesOf(name: string): readonly string[] {
  const values = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (values === undefined) throw new ServiceError(400, { code: 1006, message: "Unrecognized zone setting name" });
  return values;
}
