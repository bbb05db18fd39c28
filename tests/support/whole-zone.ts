import type { SeedZone } from "../../lib/emulator.ts";
import type { Json } from "./emulator.ts";
import { dnsRecords, FALLBACK, type Rig, ZONE } from "./engine.ts";
import { certificate, type Pem } from "./x509.ts";

/** Texts that readers of YAML or HCL may misread. */
export const TRICKY: { readonly [key: string]: string } = {
  on: "off",
  no: "yes",
  y: "n",
  NO: "On",
  null: "~",
  "1:30": "12:30:45",
  "1_000": "0b101",
  "0o17": "017",
  "2026-11-22": "2026-11-22T06:00:00Z",
  "<<": "=",
  ".inf": "-.INF",
  "1e3": "+1",
  "needs quotes": '${a} %{b} "c" \\d',
  for: "# no comment: x",
  "!tag": "&anchor *alias",
  lines: "one\ntwo\n\n three\t",
  separators: "a\u0085b\u2028c\u2029d",
  beyond: "äß漢字😀",
};

/** A hostname that is too long for a certificate's common name. */
const LONG = `${"a".repeat(40)}.${"b".repeat(30)}.customer.net`;

/** The certificate that is uploaded for `own.customer.net`. */
export const UPLOADED: Pem = certificate({
  subject: "own.customer.net",
  issuer: ["Own", "CA"],
  sans: ["own.customer.net"],
});

const ssl = (more: { [key: string]: Json } = {}): { [key: string]: Json } => ({ type: "dv", method: "http", ...more });

/** Hostnames of every sort, as request bodies. */
const HOSTNAMES: readonly { readonly [key: string]: Json }[] = [
  { hostname: "default-ca.customer.net", ssl: ssl({ certificate_authority: "" }) },
  { hostname: "unset-ca.customer.net", ssl: ssl() },
  { hostname: "named-ca.customer.net", ssl: ssl({ certificate_authority: "lets_encrypt" }) },
  { hostname: "*.wild.customer.net", ssl: ssl({ method: "txt", certificate_authority: "google" }) },
  { hostname: "covers.customer.net", ssl: ssl({ method: "txt", wildcard: true }) },
  {
    hostname: "settings.customer.net",
    ssl: ssl({
      bundle_method: "optimal",
      settings: { min_tls_version: "1.2", http2: "on", tls_1_3: "off", early_hints: "on", ciphers: ["AES128-SHA"] },
    }),
  },
  {
    hostname: "origin.customer.net",
    ssl: ssl(),
    custom_origin_server: "origin1.saas.net",
    custom_origin_sni: "origin1.saas.net",
  },
  { hostname: "metadata.customer.net", ssl: ssl(), custom_metadata: TRICKY },
  { hostname: LONG, ssl: ssl({ cloudflare_branding: true }), cloudflare_branding: true },
  { hostname: "without.customer.net" },
  {
    hostname: "own.customer.net",
    ssl: ssl({ custom_certificate: UPLOADED.certificate, custom_key: UPLOADED.key }),
  },
];

const PACKS: readonly { readonly [key: string]: Json }[] = [
  { hosts: ["saas.net", "*.saas.net"], validation_method: "txt", validity_days: 90, certificate_authority: "google" },
  {
    hosts: ["saas.net", "www.saas.net"],
    validation_method: "http",
    validity_days: 90,
    certificate_authority: "lets_encrypt",
    cloudflare_branding: true,
  },
];

const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";
const DDOS = "4d21379b4f9f4bb088e0729962c8b3cf";
const NETWORK_DDOS = "3b64149bfa6e4220bbbc2bd6db589552";
const SENSITIVE_DATA = "e22d83c647c64a3eae91b71b499d988e";
const RULE = "23ee7cebe6e8443e99ecf932ab579455";
const THRESHOLD = "6179ae15870a4bb7b2d480d4843b323c";

function rule(action: string, parameters: Json, more: { [key: string]: Json } = {}): Json {
  return { action, expression: "true", action_parameters: parameters, ...more };
}

/** At least one rule for each phase that can be declared. */
export const RULES: { readonly [phase: string]: Json[] } = {
  ddos_l4: [rule("execute", { id: NETWORK_DDOS }, { ref: "l4" })],
  ddos_l7: [rule("execute", { id: DDOS, overrides: { sensitivity_level: "low", action: "block" } }, { ref: "l7" })],
  http_config_settings: [
    rule("set_config", { ssl: "full", polish: "off", security_level: "high", bic: true, rocket_loader: false }),
  ],
  http_custom_errors: [
    rule("serve_error", { content: "<html>no</html>", content_type: "text/html", status_code: 530 }),
  ],
  http_log_custom_fields: [
    rule("log_custom_field", { request_fields: [{ name: "user-agent" }], cookie_fields: [{ name: "no" }] }),
  ],
  http_ratelimit: [
    {
      ref: "limit",
      action: "block",
      expression: 'http.request.uri.path matches "^/\\\\d${1}"',
      description: "no more than this: 1:30",
      ratelimit: {
        characteristics: ["cf.colo.id", "ip.src"],
        period: 60,
        requests_per_period: 100,
        mitigation_timeout: 600,
        requests_to_origin: false,
      },
    },
  ],
  http_request_cache_settings: [
    rule(
      "set_cache_settings",
      {
        cache: true,
        edge_ttl: {
          mode: "override_origin",
          default: 60,
          status_code_ttl: [{ status_code_range: { from: 200, to: 299 }, value: 30 }],
        },
        cache_key: {
          ignore_query_strings_order: true,
          custom_key: {
            query_string: { exclude: { list: ["utm_source"] } },
            header: { include: ["accept"], check_presence: ["no"] },
            cookie: { include: ["on"] },
            user: { device_type: true, geo: false },
            host: { resolved: true },
          },
        },
      },
      { ref: "keys" },
    ),
    rule("set_cache_settings", { cache: true, cache_key: { custom_key: { query_string: { include: ["a", "b"] } } } }),
    rule("set_cache_settings", { cache: true, cache_key: { custom_key: { query_string: { include: ["*"] } } } }),
  ],
  http_request_dynamic_redirect: [
    rule("redirect", {
      from_value: { status_code: 301, target_url: { expression: '"https://a"' }, preserve_query_string: true },
    }),
  ],
  http_request_firewall_custom: [
    {
      ref: "deny",
      action: "block",
      expression: 'ip.src eq 192.0.2.1 and http.host ne "on"',
      action_parameters: { response: { status_code: 403, content: "no", content_type: "text/plain" } },
    },
    rule(
      "skip",
      { phases: ["http_ratelimit"], products: ["waf", "bic"] },
      { ref: "pass", logging: { enabled: false } },
    ),
    { action: "managed_challenge", expression: "cf.threat_score gt 10", enabled: false, description: "off" },
  ],
  http_request_firewall_managed: [
    rule("skip", { rules: { [MANAGED]: [RULE] } }, { ref: "skip", logging: { enabled: true } }),
    rule(
      "execute",
      {
        id: MANAGED,
        matched_data: { public_key: "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=" },
        overrides: {
          categories: [{ category: "wordpress", enabled: false }],
          rules: [{ id: RULE, action: "log", enabled: true }],
        },
      },
      { ref: "managed" },
    ),
    rule("execute", { id: OWASP, overrides: { rules: [{ id: THRESHOLD, score_threshold: 40 }] } }, { ref: "owasp" }),
  ],
  http_request_late_transform: [
    rule("rewrite", {
      headers: { "X-Yes": { operation: "set", value: "on" }, no: { operation: "remove" } },
    }),
  ],
  http_request_origin: [rule("route", { host_header: "origin1.saas.net", origin: { port: 8443 } })],
  http_request_redirect: [rule("redirect", { from_list: { name: "no", key: "http.request.full_uri" } })],
  http_request_transform: [
    rule("rewrite", { uri: { path: { value: "/no" }, query: { expression: 'concat("a=", http.host)' } } }),
  ],
  http_response_cache_settings: [
    rule("set_cache_control", { "max-age": { operation: "set", value: 60 }, "no-store": { operation: "remove" } }),
  ],
  http_response_compression: [rule("compress_response", { algorithms: [{ name: "brotli" }, { name: "auto" }] })],
  http_response_firewall_managed: [rule("execute", { id: SENSITIVE_DATA }, { enabled: false })],
  http_response_headers_transform: [
    rule("rewrite", { headers: { "x-host": { operation: "set", expression: "http.host" } } }),
  ],
};

/** A zone for `openRig` that allows all of these objects. */
export const WHOLE_ZONE: Partial<SeedZone> = { plan: "enterprise", dns_records: dnsRecords() };

/** Creates an object of every kind and sort in a rig's zone, as the dashboard does. */
export function fillZone({ admin }: Pick<Rig, "admin">): void {
  const send = (method: string, path: string, body: Json): void => {
    const answer = admin.dashboard(method, `/zones/${ZONE.id}/${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body}`);
  };
  send("PUT", "custom_hostnames/fallback_origin", { origin: FALLBACK });
  for (const body of HOSTNAMES) send("POST", "custom_hostnames", body);
  for (const body of PACKS) send("POST", "ssl/certificate_packs/order", { type: "advanced", ...body });
  send("POST", "acm/total_tls", { enabled: true, certificate_authority: "google" });
  for (const [phase, rules] of Object.entries(RULES)) {
    const named = { name: `zone entry point: ${phase}`, description: "on", rules };
    send("PUT", `rulesets/phases/${phase}/entrypoint`, named);
  }
}
