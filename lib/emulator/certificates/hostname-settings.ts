import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import { copy, type Json, type JsonObject } from "../json.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import type { HostnameSetting, Zone } from "../store.ts";
import { isUnder } from "../world.ts";
import { STEP_MILLISECONDS } from "./steps.ts";

const PATH = "/hostnames/settings/:setting";

const SWITCH = ["on", "off"];
const VERSIONS = ["1.0", "1.1", "1.2", "1.3"];

/** What each setting accepts. */
const SETTINGS: Readonly<Record<string, (value: Json | undefined) => boolean>> = {
  ciphers: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  http2: (value) => SWITCH.some((known) => known === value),
  min_tls_version: (value) => VERSIONS.some((known) => known === value),
};

/** The TLS settings of single names of the zone, which need Advanced Certificate Manager (docs/service.md#zone-settings). */
export function hostnameSettingRoutes(): Route[] {
  return [
    zoneRoute("GET", PATH, list),
    zoneRoute("GET", `${PATH}/:hostname`, (call, zone) => success(view(call, hostnameOf(call), found(call, zone)))),
    zoneRoute("PUT", `${PATH}/:hostname`, put),
    zoneRoute("DELETE", `${PATH}/:hostname`, remove),
  ];
}

function list(call: Call, zone: Zone): Reply {
  const set = zone.hostnameSettings?.[settingOf(call)] ?? {};
  return success(Object.entries(set).map(([hostname, setting]) => view(call, hostname, setting)));
}

/** Throws 1450 without the entitlement. The codes of other refusals are not published (inferred). */
function put(call: Call, zone: Zone): Reply {
  if (!zone.grants.certificateManager)
    throw new ServiceError(403, { code: 1450, message: "Advanced Certificate Manager is required" });
  const name = settingOf(call);
  const hostname = hostnameOf(call);
  if (!isUnder(hostname, zone.name)) throw refused(`${hostname} is not in the zone`);
  const { value } = jsonBody(call);
  if (value === undefined || SETTINGS[name]?.(value) !== true) throw refused(`value is none of ${name}`);
  const createdAt = zone.hostnameSettings?.[name]?.[hostname]?.createdAt ?? call.now;
  const setting = { value: copy(value), createdAt, updatedAt: call.now };
  zone.hostnameSettings = {
    ...zone.hostnameSettings,
    [name]: { ...zone.hostnameSettings?.[name], [hostname]: setting },
  };
  return success(view(call, hostname, setting));
}

function remove(call: Call, zone: Zone): Reply {
  const name = settingOf(call);
  const hostname = hostnameOf(call);
  const { value: _value, ...rest } = view(call, hostname, found(call, zone));
  const others = Object.entries(zone.hostnameSettings?.[name] ?? {}).filter(([other]) => other !== hostname);
  zone.hostnameSettings = { ...zone.hostnameSettings, [name]: Object.fromEntries(others) };
  return success({ ...rest, status: "pending_deletion" });
}

function settingOf(call: Call): string {
  const name = param(call, "setting");
  if (!Object.hasOwn(SETTINGS, name)) throw refused(`the setting ${name} is not known`);
  return name;
}

function hostnameOf(call: Call): string {
  return param(call, "hostname").toLowerCase();
}

function found(call: Call, zone: Zone): HostnameSetting {
  const set = zone.hostnameSettings?.[settingOf(call)] ?? {};
  const setting = Object.hasOwn(set, hostnameOf(call)) ? set[hostnameOf(call)] : undefined;
  if (setting === undefined) throw new ServiceError(404, { code: 1001, message: "the hostname has no such setting" });
  return setting;
}

function refused(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message });
}

function view({ now }: Call, hostname: string, { value, createdAt, updatedAt }: HostnameSetting): JsonObject {
  const status = now >= updatedAt + STEP_MILLISECONDS.deployment ? "active" : "pending_deployment";
  return {
    hostname,
    value: copy(value),
    status,
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
  };
}
