import { covers, readUpload } from "../certificates/pem.ts";
import {
  COMMON_NAME_LENGTH,
  type CustomCsr,
  type IssuedCertificate,
  type ValidationMethod,
} from "../certificates/certificate.ts";
import type { Core } from "../core.ts";
import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { canIssue, PUNYCODE_TEXT } from "../world.ts";
import { type HostnameCode, hostnameError } from "./errors.ts";
import { alternativeNames } from "./view.ts";

/** What the `ssl` of a request asks for. Members that were not sent are undefined. */
export interface SslInput {
  readonly method: ValidationMethod;
  readonly chosenAuthority: string | undefined;
  readonly wildcard: boolean | undefined;
  readonly branding: boolean | undefined;
  readonly bundleMethod: string | undefined;
  readonly settings: JsonObject | undefined;
  /** The owner's own certificate; undefined for a managed one. */
  readonly upload: UploadInput | undefined;
}

const METHODS = ["http", "txt", "email"] as const satisfies readonly ValidationMethod[];
const BUNDLE_METHODS = ["ubiquitous", "optimal", "force"];
const AUTHORITIES = ["", "google", "lets_encrypt", "ssl_com"];

/** Reads and checks `ssl`. Throws the first of 1440, 1432, 1433, 1449, 1459, 1448, 1469 and others (docs/service.md#custom-hostname-error-codes). */
export function readSsl(value: Json, rules: SslRules): SslInput {
  if (!isObject(value)) throw hostnameError(1434);
  const method = checkedMethod(value, rules.isNew);
  const bundleMethod = optionalText(value, "bundle_method");
  if (bundleMethod !== undefined && !BUNDLE_METHODS.includes(bundleMethod)) throw hostnameError(1449);
  const chosenAuthority = checkedAuthority(value, rules);
  const wildcard = optionalFlag(value, "wildcard");
  checkWildcard(value, method, wildcard === true, rules);
  const branding = rules.brandingAtTop ? true : optionalFlag(value, "cloudflare_branding");
  const upload = checkedUpload(value, rules);
  if (rules.isNew && upload === undefined) checkLength(rules.hostname, wildcard === true, branding === true);
  const settings = checkedSettings(value["settings"]);
  if (settings !== undefined && Object.keys(settings).length > 0 && (wildcard ?? rules.isWildcard))
    throw hostnameError(1434, "TLS settings cannot be customised on a wildcard");
  return { method, chosenAuthority, wildcard, branding, bundleMethod, settings, upload };
}

/** Nothing validates an uploaded certificate, so with a new hostname it may stand alone (docs/service.md#custom-hostname-record). */
function checkedMethod(ssl: JsonObject, isNew: boolean): ValidationMethod {
  if (isNew && isUnset(ssl["method"]) && isUnset(ssl["type"]) && uploadedPairs(ssl).length > 0) return "http";
  if (isUnset(ssl["method"]) || isUnset(ssl["type"])) throw hostnameError(1440);
  const method = METHODS.find((known) => known === ssl["method"]);
  if (method === undefined) throw hostnameError(1432);
  if (ssl["type"] !== "dv") throw hostnameError(1433);
  return method;
}

function checkedAuthority(ssl: JsonObject, rules: SslRules): string | undefined {
  const authority = optionalText(ssl, "certificate_authority");
  if (authority === undefined) return undefined;
  if (!AUTHORITIES.includes(authority)) throw hostnameError(1434, "The certificate authority is not known");
  const isRefused = rules.core.behaviour.chosenAuthorityNeedsEnterprise && rules.zone.plan !== "enterprise";
  if (authority !== "" && isRefused) throw hostnameError(1459);
  if (!canIssue(authority, [rules.hostname])) throw hostnameError(1434, PUNYCODE_TEXT);
  return authority;
}

/** Wildcards need validation by TXT, and publicly the Enterprise plan (docs/service.md#validation-records, docs/service.md#limits-by-plan). */
function checkWildcard(ssl: JsonObject, method: ValidationMethod, wildcard: boolean, rules: SslRules): void {
  const isWildcard = wildcard || rules.hostname.startsWith("*.");
  if (!isWildcard || !isUnset(ssl["custom_certificate"])) return;
  const isGranted = !rules.core.behaviour.enterpriseFeatures || rules.zone.plan === "enterprise";
  if (method !== "txt" || !isGranted) throw hostnameError(1448);
}

function checkLength(hostname: string, wildcard: boolean, branding: boolean): void {
  const names = alternativeNames(hostname, wildcard);
  if (!branding && names.every((name) => name.length > COMMON_NAME_LENGTH)) throw hostnameError(1469);
}

function optionalText(ssl: JsonObject, name: string): string | undefined {
  const value = ssl[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw hostnameError(1434, `${name} must be a string`);
  return value;
}

function optionalFlag(ssl: JsonObject, name: string): boolean | undefined {
  const value = ssl[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw hostnameError(1434, `${name} must be a boolean`);
  return value;
}

function isUnset(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** What the rules about `ssl` depend on besides the request. */
interface SslRules {
  readonly core: Core;
  readonly zone: Zone;
  readonly hostname: string;
  /** Whether the hostname has no certificate yet. Otherwise the length of its name was checked already. */
  readonly isNew: boolean;
  readonly brandingAtTop: boolean;
  /** Whether the hostname already covers a wildcard, which a PATCH does not have to repeat. */
  readonly isWildcard: boolean;
}

const SWITCHES: ReadonlyMap<string, HostnameCode> = new Map([
  ["http2", 1422],
  ["tls_1_2_only", 1423],
  ["tls_1_3", 1424],
  ["early_hints", 1434],
]);

const TLS_VERSIONS = ["1.0", "1.1", "1.2", "1.3"];

/** Reads and checks `ssl.settings`. Throws 1422 to 1425, 1442, 1443, and 1434 for any other mistake. */
function checkedSettings(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw hostnameError(1434, "settings must be an object");
  const settings = copy(value);
  for (const [name, setting] of Object.entries(settings)) {
    if (setting === null) delete settings[name];
    else checkSetting(name, setting);
  }
  if (settings["ciphers"] !== undefined && settings["min_tls_version"] === "1.3") throw hostnameError(1443);
  return settings;
}

function checkSetting(name: string, setting: Json): void {
  const code = SWITCHES.get(name);
  if (code !== undefined) {
    if (setting !== "on" && setting !== "off") throw hostnameError(code);
  } else if (name === "min_tls_version") {
    if (typeof setting !== "string" || !TLS_VERSIONS.includes(setting)) throw hostnameError(1425);
  } else if (name === "ciphers") {
    if (!Array.isArray(setting) || !setting.every(isCipher)) throw hostnameError(1442);
  } else throw hostnameError(1434, `The setting ${name} is not known`);
}

/** Whether the value looks like a BoringSSL name, such as ECDHE-RSA-AES128-GCM-SHA256 (docs/service.md#custom-hostname-record). */
function isCipher(value: Json): boolean {
  return typeof value === "string" && /^[A-Z0-9]+(-[A-Z0-9]+)+$/.test(value);
}

/** What was uploaded: one certificate, or one of each key type. */
export interface UploadInput {
  readonly first: IssuedCertificate;
  readonly second: IssuedCertificate | null;
  readonly csrId: string | null;
}

/**
 * The uploaded certificate in `ssl`, if there is one. Throws 1426 to 1431, 1441, 1444 to 1447, and 1434 if uploads need the
 * Enterprise plan (docs/service.md#limits-by-plan) or a bundle does not have one certificate of each key type.
 */
function checkedUpload(ssl: JsonObject, rules: SslRules): UploadInput | undefined {
  const csr = csrOf(ssl, rules);
  const pairs = uploadedPairs(ssl);
  if (pairs.length === 0) return undefined;
  if (rules.core.behaviour.enterpriseFeatures && rules.zone.plan !== "enterprise")
    throw hostnameError(1434, "Custom certificates need the Enterprise plan");
  const [first, second = null, third] = pairs.map((pair) => readPair(pair, rules, csr));
  if (first === undefined) return undefined;
  if (third !== undefined || first.keyType === second?.keyType)
    throw hostnameError(1434, "custom_cert_bundle takes one RSA and one ECDSA certificate");
  return { first, second, csrId: csr?.id ?? null };
}

/** Reads one certificate with its key. Throws 1446 if it does not cover the hostname. */
export function readPair(pair: JsonObject, rules: SslRules, csr?: CustomCsr): IssuedCertificate {
  const { custom_certificate: certificate, custom_key: key } = pair;
  const read = readUpload({ certificate, key, csrKey: csr?.privateKey }, rules.core.ids.uuid(), rules.core.clock.now());
  if (!covers(read.hosts, rules.hostname)) throw hostnameError(1446, rules.hostname);
  return read;
}

function uploadedPairs(ssl: JsonObject): JsonObject[] {
  const bundle = ssl["custom_cert_bundle"];
  if (Array.isArray(bundle)) return bundle.filter(isObject);
  return ssl["custom_certificate"] === undefined && ssl["custom_key"] === undefined ? [] : [ssl];
}

/** The CSR that `ssl` names, if any. Throws 1430 for a malformed id, and 1431 for an id that neither the zone nor its account has. */
function csrOf(ssl: JsonObject, rules: SslRules): CustomCsr | undefined {
  const id = ssl["custom_csr_id"];
  if (id === undefined || id === null || id === "") return undefined;
  if (typeof id !== "string" || !/^[0-9a-f-]{32,36}$/.test(id)) throw hostnameError(1430);
  const csr = rules.core.store.csrs.get(id);
  if (csr === undefined || (csr.owner !== rules.zone.id && csr.owner !== rules.zone.accountId))
    throw hostnameError(1431);
  return csr;
}
