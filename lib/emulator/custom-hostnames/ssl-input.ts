import { COMMON_NAME_LENGTH, type ValidationMethod } from "../certificates/order.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { alternativeNames } from "./certificate.ts";
import { hostnameError } from "./errors.ts";
import type { SslRules } from "./ssl-rules.ts";
import { checkedSettings } from "./tls-settings.ts";
import { checkedUpload, type UploadInput } from "./upload.ts";

/** What `ssl` of a request asks for; undefined members were not sent. */
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
const AUTHORITIES = ["", "google", "lets_encrypt", "ssl_com", "digicert"];

/** Reads and checks `ssl`. Throws 1440, 1432, 1433, 1449, 1459, 1448, then 1469 and the rest (docs/service.md#custom-hostname-error-codes). */
export function readSsl(value: Json, rules: SslRules): SslInput {
  if (!isObject(value)) throw hostnameError(1434);
  const method = checkedMethod(value);
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

function checkedMethod(ssl: JsonObject): ValidationMethod {
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
  const isRefused = rules.behaviour.chosenAuthorityNeedsEnterprise && rules.zone.plan !== "enterprise";
  if (authority !== "" && isRefused) throw hostnameError(1459);
  return authority;
}

/** Wildcards validate by TXT only, and publicly need Enterprise (docs/service.md#validation-records, docs/service.md#limits-by-plan). */
function checkWildcard(ssl: JsonObject, method: ValidationMethod, wildcard: boolean, rules: SslRules): void {
  const isWildcard = wildcard || rules.hostname.startsWith("*.");
  if (!isWildcard || !isUnset(ssl["custom_certificate"])) return;
  const isGranted = !rules.behaviour.enterpriseFeatures || rules.zone.plan === "enterprise";
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
