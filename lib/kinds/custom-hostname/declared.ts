import { problem } from "./codes.ts";
import { problem as coreProblem } from "../../core/diagnostic.ts";
import { isObject, type JsonObject, type Path, valueAt, withValueAt } from "../../core/json.ts";
import type { Live } from "../live.ts";
import type { ValueProblem } from "../traits/declared.ts";

/** The longest name that fits a certificate's common name (docs/service.md#common-name). */
export const COMMON_NAME_LIMIT = 64;
/** Custom metadata may have at most this much JSON (docs/service.md#custom-hostname-record). */
const METADATA_LIMIT_BYTES = 4096;
/** Top-level domains that the service refuses (1409: docs/service.md#names). */
const RESERVED_DOMAINS = ["test", "example", "invalid", "localhost"];
/** Domains that the service refuses (1411: docs/service.md#names). */
const EXAMPLE_DOMAINS = ["example.com", "example.net", "example.org"];

/** Fields that the service never shows, or not faithfully (docs/service.md#custom-hostname-record). */
export const WRITE_ONLY: readonly string[] = [
  "ssl.cloudflare_branding",
  "ssl.custom_certificate",
  "ssl.custom_key",
  "ssl.custom_cert_bundle",
];

/** The API's empty CA choice becomes `default`, and origins become lower case. */
export function normalise(desired: JsonObject): JsonObject {
  let normal = desired;
  if (valueAt(desired, ["ssl", "certificate_authority"]) === "") {
    normal = withValueAt(normal, ["ssl", "certificate_authority"], "default");
  }
  const origin = desired["custom_origin_server"];
  if (typeof origin === "string" && origin !== origin.toLowerCase()) {
    normal = { ...normal, custom_origin_server: origin.toLowerCase() };
  }
  return normal;
}

/** Problems that the service would refuse in this hostname, found before anything is sent. */
export function problems(hostname: string, desired: JsonObject): readonly ValueProblem[] {
  const ssl = desired["ssl"];
  return [
    ...nameProblems(hostname),
    ...(isObject(ssl) ? sslProblems(hostname, ssl) : []),
    ...metadataProblems(desired),
  ];
}

/**
 * Problems that only live values reveal: whether a certificate covers the names below too, and ciphers, if the YAML
 * sets neither.
 */
export function problemsBesideLive(hostname: string, desired: JsonObject, live: Live): readonly ValueProblem[] {
  const wildcard = ["ssl", "wildcard"];
  const isLiveAlone = (path: Path): boolean => (valueAt(desired, path) ?? null) === null;
  const isWildcard = valueAt(live.values, wildcard) === true && isLiveAlone(wildcard);
  return [
    ...(isWildcard ? problems(hostname, withValueAt(desired, wildcard, true)) : []),
    ...(isLiveAlone(CIPHERS) && valueAt(live.values, CIPHERS) !== undefined ? liveCipherProblems(desired) : []),
  ];
}

const CIPHERS: Path = ["ssl", "settings", "ciphers"];
const MIN_TLS_VERSION: Path = ["ssl", "settings", "min_tls_version"];

/** The live ciphers are sent along with the settings. */
function liveCipherProblems(desired: JsonObject): ValueProblem[] {
  if (valueAt(desired, MIN_TLS_VERSION) !== "1.3") return [];
  const message = "the live hostname has ciphers, with which Cloudflare refuses min_tls_version 1.3 (1443)";
  const remedy =
    "remove its ciphers in the dashboard and plan again, or set a lower min_tls_version for it with an exception";
  return [{ path: MIN_TLS_VERSION, code: "ciphers-with-tls-1.3", message, remedy }];
}

function nameProblems(hostname: string): ValueProblem[] {
  const ofName = (found: Omit<ValueProblem, "path">): ValueProblem[] => [
    { path: ["hostname"], ...found, onlyNew: true },
  ];
  if (/[^ -~]/.test(hostname)) return ofName(problem("hostname-not-ascii", { hostname }));
  const url = /^[a-z][a-z0-9+.-]*:\/\/([^/:]+)/i.exec(hostname)?.[1] ?? /^([^/:]+)[/:]/.exec(hostname)?.[1];
  if (url !== undefined)
    return ofName(problem("hostname-invalid", { hostname }, { remedy: `write only the name: ${url}` }));
  if (hostname.length > 255) return ofName(problem("hostname-too-long", { hostname }));
  const name = hostname.startsWith("*.") ? hostname.slice(2) : hostname;
  const labels = name.split(".");
  if (labels.length < 2 || !labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))) {
    return ofName(problem("hostname-invalid", { hostname }));
  }
  if (/^\d+$/.test(labels.at(-1) ?? "")) return ofName(problem("hostname-is-address", { hostname }));
  if (RESERVED_DOMAINS.includes(labels.at(-1) ?? ""))
    return ofName(problem("hostname-reserved", { hostname, what: "a reserved top-level domain" }));
  if (EXAMPLE_DOMAINS.includes(labels.slice(-2).join(".")))
    return ofName(problem("hostname-reserved", { hostname, what: "an example domain" }));
  return [];
}

/** Whether the name is a wildcard, or the certificate covers all names below it too. */
function isWildcard(hostname: string, ssl: JsonObject[string] | undefined): boolean {
  return hostname.startsWith("*.") || (isObject(ssl) && ssl["wildcard"] === true);
}

function sslProblems(hostname: string, ssl: JsonObject): ValueProblem[] {
  const found: ValueProblem[] = [];
  const isOfWildcard = isWildcard(hostname, ssl);
  const isUploaded = ssl["custom_certificate"] !== undefined || ssl["custom_cert_bundle"] !== undefined;
  if (hostname.length > COMMON_NAME_LIMIT && ssl["cloudflare_branding"] !== true && !isUploaded) {
    const values = { hostname, length: hostname.length, most: COMMON_NAME_LIMIT };
    found.push({ path: ["hostname"], ...problem("hostname-needs-branding", values), onlyNew: true });
  }
  if (isOfWildcard && ssl["method"] === "http") {
    const remedy = "set ssl.method: txt for it, for example in a policy with match: { wildcard: true }";
    found.push({ path: ["ssl", "method"], ...coreProblem("wildcard-needs-txt", { hostname }, { remedy }) });
  }
  if (isOfWildcard && isObject(ssl["settings"]) && Object.keys(ssl["settings"]).length > 0) {
    found.push({ path: ["ssl", "settings"], ...problem("wildcard-settings", { hostname }) });
  }
  if (ssl["method"] === undefined && !isUploaded) {
    found.push({ path: ["ssl"], ...problem("ssl-method-missing", { hostname }), onlyNew: true });
  }
  return [...found, ...cipherProblems(ssl), ...keyProblems(ssl)];
}

function cipherProblems(ssl: JsonObject): ValueProblem[] {
  if (valueAt(ssl, ["settings", "min_tls_version"]) !== "1.3" || valueAt(ssl, ["settings", "ciphers"]) === undefined) {
    return [];
  }
  const message = "ciphers cannot be set with min_tls_version 1.3";
  const remedy = "remove ssl.settings.ciphers; with it Cloudflare answers 1443";
  return [{ path: CIPHERS, code: "ciphers-with-tls-1.3", message, remedy }];
}

function keyProblems(ssl: JsonObject): ValueProblem[] {
  const hasCertificate = ssl["custom_certificate"] !== undefined;
  const hasKey = ssl["custom_key"] !== undefined || ssl["custom_csr_id"] !== undefined;
  if (hasCertificate === hasKey || ssl["custom_csr_id"] !== undefined) return [];
  const [present, absent] = hasCertificate
    ? (["custom_certificate", "custom_key"] as const)
    : (["custom_key", "custom_certificate"] as const);
  return [{ path: ["ssl", present], ...problem("certificate-without-key", { present, absent }) }];
}

function metadataProblems(desired: JsonObject): ValueProblem[] {
  const metadata = desired["custom_metadata"];
  if (!isObject(metadata)) return [];
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= METADATA_LIMIT_BYTES) return [];
  const found = problem("metadata-too-large", { bytes, most: METADATA_LIMIT_BYTES });
  return [{ path: ["custom_metadata"], ...found }];
}
