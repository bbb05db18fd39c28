import { type Call, jsonBody, param, type Route, zoneRoute } from "./call.ts";
import { timestamp } from "./clock.ts";
import { asText, copy, isObject, type Json, type JsonObject } from "./json.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import type { Zone } from "./store.ts";
import { badInput } from "./waf/old-api.ts";
import { hasPrevious } from "./waf/previous-waf.ts";

const ON = ["on", "off"];
const OFF = ["off", "on"];

/** Any value of the same type as the usual one. Some settings call their value `enabled`. */
interface Open {
  readonly usual: Json;
  readonly member?: "enabled";
}

/** Each setting with its values; the first is that of a new zone (partly inferred: the published defaults are old). */
const SETTINGS: Readonly<Record<string, readonly Json[] | Open>> = {
  "0rtt": OFF,
  advanced_ddos: ["on"],
  aegis: { usual: { enabled: false } },
  always_online: ON,
  always_use_https: OFF,
  auto_origin_tls_kex: { usual: false, member: "enabled" },
  automatic_https_rewrites: ON,
  automatic_platform_optimization: {
    usual: {
      enabled: false,
      cf: false,
      wordpress: false,
      wp_plugin: false,
      hostnames: [],
      cache_by_device_type: false,
    },
  },
  brotli: ON,
  browser_cache_ttl: { usual: 14_400 },
  browser_check: ON,
  cache_level: ["aggressive", "basic", "simplified"],
  challenge_ttl: [
    1800, 300, 900, 2700, 3600, 7200, 10_800, 14_400, 28_800, 57_600, 86_400, 604_800, 2_592_000, 31_536_000,
  ],
  china_network_enabled: OFF,
  ciphers: { usual: [] },
  cname_flattening: ["flatten_at_root", "flatten_all"],
  content_converter: OFF,
  development_mode: OFF,
  early_hints: OFF,
  edge_cache_ttl: { usual: 7200 },
  email_obfuscation: ON,
  fonts: OFF,
  h2_prioritization: ["off", "on", "custom"],
  hotlink_protection: OFF,
  http2: ON,
  http3: ON,
  image_resizing: ["off", "on", "open"],
  ip_geolocation: ON,
  ipv6: ON,
  max_upload: { usual: 100 },
  min_tls_version: ["1.0", "1.1", "1.2", "1.3"],
  mirage: OFF,
  nel: { usual: { enabled: true } },
  opportunistic_encryption: ON,
  opportunistic_onion: ON,
  orange_to_orange: OFF,
  origin_error_page_pass_thru: OFF,
  origin_h2_max_streams: { usual: 200 },
  origin_max_http_version: ["2", "1"],
  polish: ["off", "lossless", "lossy"],
  pre_render: OFF,
  prefetch_preload: OFF,
  privacy_pass: ON,
  proxy_read_timeout: { usual: 100 },
  pseudo_ipv4: ["off", "add_header", "overwrite_header"],
  redirects_for_ai_training: OFF,
  replace_insecure_js: ON,
  response_buffering: OFF,
  rocket_loader: OFF,
  search_for_agents: OFF,
  security_header: {
    usual: {
      strict_transport_security: {
        enabled: false,
        max_age: 0,
        include_subdomains: false,
        preload: false,
        nosniff: false,
      },
    },
  },
  security_level: ["medium", "off", "essentially_off", "low", "high", "under_attack"],
  server_side_exclude: ON,
  sha1_support: OFF,
  sort_query_string_for_cache: OFF,
  ssl: ["full", "off", "flexible", "strict", "origin_pull"],
  ssl_automatic_mode: ["auto", "custom"],
  ssl_recommender: { usual: false, member: "enabled" },
  tls_1_2_only: OFF,
  tls_1_3: ["on", "off", "zrt"],
  tls_client_auth: OFF,
  transformations: ["off", "on", "open"],
  transformations_allowed_origins: { usual: "" },
  transformations_c2pa: OFF,
  true_client_ip_header: OFF,
  webmcp_enabled: OFF,
  webmcp_packs: { usual: "" },
  webp: OFF,
  websockets: ON,
};

/** GET and PATCH of one and of all zone settings, and what Cloudflare recommends for one (docs/service.md#zone-settings). */
export function zoneSettingRoutes(): Route[] {
  return [
    zoneRoute("GET", "/settings", (_call, zone) => success(namesOf(zone).map((name) => view(zone, name)))),
    zoneRoute("PATCH", "/settings", editSeveral),
    zoneRoute("GET", "/settings/:name", (call, zone) => success(view(zone, param(call, "name")))),
    zoneRoute("PATCH", "/settings/:name", (call, zone) =>
      success(edit(call, zone, param(call, "name"), jsonBody(call))),
    ),
    zoneRoute("GET", "/ssl/recommendation", (_call, zone) =>
      success({ ...view(zone, "ssl_automatic_mode"), modified_on: timestamp(zone.createdAt) }),
    ),
  ];
}

/** `waf` is a setting of zones that have the previous managed rules. */
function namesOf(zone: Zone): string[] {
  return [...Object.keys(SETTINGS), ...(hasPrevious(zone.waf) ? ["waf"] : [])];
}

/** Changes all settings of `items`, or none if one is refused. */
function editSeveral(call: Call, zone: Zone): Reply {
  const { items } = jsonBody(call);
  if (!Array.isArray(items) || !items.every(isObject)) throw badInput("items must be a list of settings");
  const before = zone.settings;
  try {
    return success(items.map((item) => edit(call, zone, asText(item["id"]), item)));
  } catch (error) {
    zone.settings = before ?? {};
    throw error;
  }
}

function view(zone: Zone, name: string): JsonObject {
  if (name === "waf" && hasPrevious(zone.waf)) return wafView(zone);
  const { usual, member } = kindOf(name);
  const set = zone.settings?.[name];
  const modified = set === undefined ? null : timestamp(set.modifiedAt);
  return { id: name, [member]: copy(set?.value ?? usual), modified_on: modified, editable: name !== "advanced_ddos" };
}

function edit(call: Call, zone: Zone, name: string, sent: JsonObject): JsonObject {
  if (name === "waf" && hasPrevious(zone.waf)) return setWaf(zone, sent);
  const { member, accepts } = kindOf(name);
  const value = sent[member];
  if (value === undefined || !accepts(value))
    throw new ServiceError(400, { code: 1007, message: `Invalid value for zone setting ${name}` });
  zone.settings = { ...zone.settings, [name]: { value: copy(value), modifiedAt: call.now } };
  return view(zone, name);
}

/** What a setting accepts. Throws 1006 for an unknown one; users of the service report this code (inferred). */
function kindOf(name: string): {
  readonly usual: Json;
  readonly member: "value" | "enabled";
  readonly accepts: (value: Json) => boolean;
} {
  const kind = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (kind === undefined) throw new ServiceError(400, { code: 1006, message: "Unrecognized zone setting name" });
  if (!("usual" in kind)) return { usual: kind[0] ?? null, member: "value", accepts: (value) => kind.includes(value) };
  const { usual, member = "value" } = kind;
  return { usual, member, accepts: (value) => typeOf(value) === typeOf(usual) };
}

function typeOf(value: Json): string {
  return Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
}

/** /zones/{id}/settings/waf, which turns all previous managed rules on or off. A zone without them answers 400 (docs/service.md#waf-migration). */
export function wafSettingRoutes(): Route[] {
  return [
    wafRoute("GET", (_call, zone) => success(wafView(zone))),
    wafRoute("PATCH", (call, zone) => success(setWaf(zone, jsonBody(call)))),
  ];
}

function wafRoute(method: Route["method"], handler: (call: Call, zone: Zone) => Reply): Route {
  return zoneRoute(method, "/settings/waf", (call, zone) => {
    if (!hasPrevious(zone.waf)) throw badInput("the setting waf does not exist in this zone: deploy managed rulesets");
    return handler(call, zone);
  });
}

function setWaf(zone: Zone, { value }: JsonObject): JsonObject {
  if (value !== "on" && value !== "off") throw badInput("value must be on or off");
  zone.waf.isOn = value === "on";
  return wafView(zone);
}

function wafView(zone: Zone): JsonObject {
  return { id: "waf", value: zone.waf.isOn ? "on" : "off", editable: true };
}
