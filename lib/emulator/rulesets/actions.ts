import { isObject } from "../json.ts";
import { PHASES } from "./catalogue.ts";
import { anything, choice, flag, integer, list, map, object, type Shape, text } from "./shape.ts";

const CHALLENGES = ["challenge", "js_challenge", "managed_challenge"];
const FIREWALL = ["block", ...CHALLENGES, "execute", "log", "skip"];
const NETWORK = ["block", "execute", "log", "skip"];

/** The actions of each phase, as its product's page documents them (docs/service.md#rules). */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  ddos_l4: ["execute"],
  ddos_l7: ["execute"],
  http_config_settings: ["set_config"],
  http_custom_errors: ["serve_error"],
  http_log_custom_fields: ["log_custom_field"],
  http_ratelimit: FIREWALL,
  http_request_cache_settings: ["set_cache_settings"],
  http_request_dynamic_redirect: ["redirect"],
  http_request_firewall_custom: [...FIREWALL, "rewrite"],
  http_request_firewall_managed: ["execute", "skip"],
  http_request_late_transform: ["rewrite"],
  http_request_origin: ["route"],
  http_request_redirect: ["redirect"],
  http_request_sanitize: ["execute"],
  http_request_sbfm: FIREWALL,
  http_request_transform: ["rewrite"],
  http_response_cache_settings: ["set_cache_control", "set_cache_settings", "set_cache_tags"],
  http_response_compression: ["compress_response"],
  http_response_firewall_managed: ["execute", "skip"],
  http_response_headers_transform: ["rewrite"],
  magic_transit: NETWORK,
  magic_transit_ids_managed: NETWORK,
  magic_transit_managed: NETWORK,
  magic_transit_ratelimit: NETWORK,
};

/** Whether the phase has rules with the action. */
export function isAction(action: string, phase: string): boolean {
  return ACTIONS[phase]?.includes(action) === true;
}

/** The phase whose rules count requests. */
export const RATE_LIMIT_PHASE = "http_ratelimit";

const names = list(text());
// Expressions are checked where the lists are known (expressions.ts).
const expression = text(Infinity, 0);
const dynamic = object({ value: text(Infinity, 0), expression }, { one: ["value", "expression"] });
const contentType = choice("application/json", "text/html", "text/plain", "text/xml");

/** The name of a header, a cookie or a field. */
const named = object({ name: text() }, { all: ["name"] });
const namedHeader = object({ name: text(), preserve_duplicates: flag }, { all: ["name"] });

const operation = choice("add", "set", "remove");
const valued = { operation, value: text(Infinity, 0), expression };
const setHeader = object(valued, { all: ["operation"], one: ["value", "expression"] });
const removeHeader = object({ operation }, { all: ["operation"] });
const headers = map((value, pointer) => {
  const isRemoval = isObject(value) && value["operation"] === "remove";
  (isRemoval ? removeHeader : setHeader)(value, pointer);
});
const uri = object({ path: dynamic, query: dynamic, origin: flag }, { some: ["path", "query"] });

const onlyHeaders = object({ headers }, { all: ["headers"] });
/** What a rewrite changes, by phase. */
const REWRITES: Readonly<Record<string, Shape>> = {
  http_request_firewall_custom: onlyHeaders,
  http_request_late_transform: onlyHeaders,
  http_request_transform: object({ uri, headers }, { some: ["uri", "headers"] }),
  http_response_headers_transform: onlyHeaders,
};

const target = object(
  { target_url: dynamic, status_code: choice(301, 302, 303, 307, 308), preserve_query_string: flag },
  { all: ["target_url"] },
);
const fromList = object({ name: text(), key: expression }, { all: ["name", "key"] });
/** Where a redirect takes its target from, by phase. */
const REDIRECTS: Readonly<Record<string, Shape>> = {
  http_request_dynamic_redirect: object({ from_value: target }, { all: ["from_value"] }),
  http_request_redirect: object({ from_list: fromList }, { all: ["from_list"] }),
};

/** Parameters of the query, as the reference writes them, or as earlier clients do: a list, or "*" for all. */
const queryStrings: Shape = (value, pointer) => {
  const members = object({ all: choice(true), list: names }, { one: ["all", "list"] });
  (isObject(value) ? members : Array.isArray(value) ? names : choice("*"))(value, pointer);
};
const cacheKey = object({
  cache_by_device_type: flag,
  cache_deception_armor: flag,
  ignore_query_strings_order: flag,
  custom_key: object({
    cookie: object({ check_presence: names, include: names }),
    header: object({ check_presence: names, contains: map(names), exclude_origin: flag, include: names }),
    host: object({ resolved: flag }),
    query_string: object({ exclude: queryStrings, include: queryStrings }),
    user: object({ device_type: flag, geo: flag, lang: flag }),
  }),
});
const statusTtl = object(
  {
    status_code: integer(100, 999),
    status_code_range: object({ from: integer(100, 999), to: integer(100, 999) }, { some: ["from", "to"] }),
    value: integer(-1),
  },
  { all: ["value"], one: ["status_code", "status_code_range"] },
);
const TTL_MODES = ["respect_origin", "bypass_by_default", "override_origin"];
const varied = choice("bypass", "passthrough", "normalize");
const CACHE_SETTINGS = object({
  additional_cacheable_ports: list(integer(1, 65_535)),
  browser_ttl: object({ mode: choice(...TTL_MODES, "bypass"), default: integer() }, { all: ["mode"] }),
  cache: flag,
  cache_key: cacheKey,
  cache_reserve: object({ eligible: flag, minimum_file_size: integer() }, { all: ["eligible"] }),
  edge_ttl: object(
    { mode: choice(...TTL_MODES), default: integer(), status_code_ttl: list(statusTtl) },
    { all: ["mode"] },
  ),
  origin_cache_control: flag,
  origin_error_page_passthru: flag,
  origin_range_requests: object({ mode: choice("on", "off", "default") }, { all: ["mode"] }),
  read_timeout: integer(),
  respect_strong_etags: flag,
  serve_stale: object({ disable_stale_while_updating: flag }),
  shared_dictionary: object({ match_pattern: text() }, { all: ["match_pattern"] }),
  strip_etags: flag,
  strip_last_modified: flag,
  strip_set_cookie: flag,
  vary: object({
    default: object({ action: varied }, { all: ["action"] }),
    headers: map(object({ action: varied, languages: names, media_types: names }, { all: ["action"] })),
  }),
});

const CONFIG = object({
  automatic_https_rewrites: flag,
  autominify: object({ css: flag, html: flag, js: flag }),
  bic: flag,
  content_converter: flag,
  disable_apps: choice(true),
  disable_pay_per_crawl: choice(true),
  disable_railgun: choice(true),
  disable_rum: choice(true),
  disable_zaraz: choice(true),
  email_obfuscation: flag,
  fonts: flag,
  hotlink_protection: flag,
  mirage: flag,
  opportunistic_encryption: flag,
  polish: choice("off", "lossless", "lossy", "webp"),
  redirects_for_ai_training: flag,
  request_body_buffering: choice("none", "standard", "full"),
  response_body_buffering: choice("none", "standard"),
  rocket_loader: flag,
  security_level: choice("off", "essentially_off", "low", "medium", "high", "under_attack"),
  server_side_excludes: flag,
  ssl: choice("off", "flexible", "full", "strict", "origin_pull"),
  sxg: flag,
  webmcp_enabled: flag,
  webmcp_packs: names,
});

const directive = object(
  { operation: choice("set", "remove"), value: integer(), qualifiers: names, cloudflare_only: flag },
  { all: ["operation"] },
);
const DIRECTIVES = [
  "immutable",
  "max-age",
  "must-revalidate",
  "must-understand",
  "no-cache",
  "no-store",
  "no-transform",
  "private",
  "proxy-revalidate",
  "public",
  "s-maxage",
  "stale-if-error",
  "stale-while-revalidate",
];

const SKIP = {
  phase: choice("current"),
  phases: list(choice(...PHASES)),
  products: list(choice("bic", "hot", "rateLimit", "securityLevel", "uaBlock", "waf", "zoneLockdown")),
  rules: map(names),
  ruleset: choice("current"),
  rulesets: names,
};

/** The parameters of an action, if it has some. */
interface Parameters {
  readonly shape: Shape;
  /** Whether the action means nothing without them. */
  readonly required: boolean;
}

const NONE: Parameters = { shape: object({}), required: false };

/** The parameters of the actions, as the official client types them. Those that depend on the phase are functions of it. */
const PARAMETERS: Readonly<Record<string, Parameters | ((phase: string) => Parameters)>> = {
  block: {
    shape: object({
      response: object(
        { content: text(), content_type: contentType, status_code: integer(400, 499) },
        { all: ["content", "content_type", "status_code"] },
      ),
    }),
    required: false,
  },
  compress_response: {
    shape: object(
      { algorithms: list(object({ name: choice("none", "auto", "default", "gzip", "brotli", "zstd") })) },
      { all: ["algorithms"] },
    ),
    required: true,
  },
  // The overrides are checked where the rulesets are known (overrides.ts).
  execute: {
    shape: object(
      {
        id: text(),
        version: anything,
        matched_data: object({ public_key: text() }, { all: ["public_key"] }),
        overrides: anything,
      },
      { all: ["id"] },
    ),
    required: true,
  },
  log_custom_field: {
    shape: object({
      cookie_fields: list(named),
      raw_response_fields: list(namedHeader),
      request_fields: list(named),
      response_fields: list(namedHeader),
      transformed_request_fields: list(named),
    }),
    required: true,
  },
  redirect: (phase) => ({ shape: REDIRECTS[phase] ?? anything, required: true }),
  rewrite: (phase) => ({ shape: REWRITES[phase] ?? anything, required: true }),
  route: {
    shape: object(
      {
        host_header: text(),
        origin: object({ host: text(), port: integer(1, 65_535) }, { some: ["host", "port"] }),
        sni: object({ value: text() }, { all: ["value"] }),
      },
      { some: ["host_header", "origin", "sni"] },
    ),
    required: true,
  },
  serve_error: {
    shape: object(
      { content: text(10_240), asset_name: text(), content_type: contentType, status_code: integer(400, 999) },
      { one: ["content", "asset_name"] },
    ),
    required: true,
  },
  set_cache_control: {
    shape: object(Object.fromEntries(DIRECTIVES.map((name) => [name, directive])), { some: DIRECTIVES }),
    required: true,
  },
  set_cache_settings: { shape: CACHE_SETTINGS, required: true },
  set_cache_tags: {
    shape: object(
      { operation: choice("add", "remove", "set"), values: names, expression },
      { all: ["operation"], one: ["values", "expression"] },
    ),
    required: true,
  },
  set_config: { shape: CONFIG, required: true },
  skip: { shape: object(SKIP, { some: Object.keys(SKIP) }), required: true },
};

/** The parameters of the action in the phase. An action that is not in the table has none. */
export function parametersOf(action: string, phase: string): Parameters {
  const found = (Object.hasOwn(PARAMETERS, action) ? PARAMETERS[action] : undefined) ?? NONE;
  return typeof found === "function" ? found(phase) : found;
}

/** How a rule of the phase `http_ratelimit` counts requests (docs/service.md#rules). */
export const RATE_LIMIT: Shape = object(
  {
    characteristics: names,
    counting_expression: expression,
    mitigation_timeout: integer(0, 86_400),
    period: integer(1, 86_400),
    requests_per_period: integer(1),
    requests_to_origin: flag,
    score_per_period: integer(1),
    score_response_header_name: text(),
  },
  { all: ["characteristics", "period"], some: ["requests_per_period", "score_per_period"] },
);
