import fc from "fast-check";
import type { JsonObject } from "../../lib/core/json.ts";
import type { NamedHostname, Setting } from "./setting.ts";

const ORIGINS = ["origin1.saas.net", "origin2.saas.net", "Origin3.saas.net"];
const AUTHORITIES = ["default", "google", "lets_encrypt", "ssl_com"];
const onOrOff = fc.constantFrom("on", "off");

/** Some TLS settings, or none. */
function tlsSettings({ hasCiphers }: Setting): fc.Arbitrary<JsonObject> {
  const versions = hasCiphers ? ["1.0", "1.1", "1.2"] : ["1.0", "1.2", "1.3"];
  const suites = ["ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA", "ECDHE-ECDSA-AES256-GCM-SHA384"];
  return some({
    min_tls_version: fc.constantFrom(...versions),
    tls_1_3: onOrOff,
    http2: onOrOff,
    early_hints: onOrOff,
    ...(hasCiphers ? { ciphers: fc.shuffledSubarray(suites, { minLength: 1 }) } : {}),
  });
}

/** Fields of `ssl` besides the method; without `settings`, which wildcards may not have. */
function sslLeaves(setting: Setting): fc.Arbitrary<JsonObject> {
  return some(sslMembers(setting));
}

/** Fields of `ssl` for hostnames that are not wildcards. */
function sslLeavesOfOne(setting: Setting): fc.Arbitrary<JsonObject> {
  return some({ ...sslMembers(setting), settings: tlsSettings(setting) });
}

function sslMembers(setting: Setting): Record<string, fc.Arbitrary<JsonObject[string]>> {
  return {
    type: fc.constant("dv"),
    bundle_method: fc.constantFrom("ubiquitous", "optimal", "force"),
    certificate_authority: fc.constantFrom(...(setting.hasFeatures ? AUTHORITIES : ["default"])),
  };
}

/** What a policy for all hostnames sets first: a method, without which no `ssl` may be sent. */
export function baseline(setting: Setting): fc.Arbitrary<JsonObject> {
  if (!setting.hasSsl) return fc.constant({});
  return fc
    .tuple(fc.constantFrom("http", "txt", "email"), sslLeaves(setting))
    .map(([method, leaves]) => ({ ssl: { ...leaves, method } }));
}

/** What further policies and exceptions set: anything that fits every hostname. */
export function overlay(setting: Setting): fc.Arbitrary<JsonObject> {
  return some({ ...(setting.hasSsl ? { ssl: sslLeaves(setting) } : {}), origin: originLeaves() }).map(withOrigin);
}

/** What policies for everything but wildcards set. */
export function overlayOfOne(setting: Setting): fc.Arbitrary<JsonObject> {
  return some({
    ...(setting.hasSsl ? { ssl: sslLeavesOfOne(setting) } : {}),
    ...(setting.hasFeatures ? { custom_metadata: metadata() } : {}),
  });
}

/** What an entry sets itself, as far as its name allows. */
export function entryValues(
  setting: Setting,
  { hostname, isWildcard, isLong, isUploaded }: NamedHostname,
): fc.Arbitrary<JsonObject> {
  const hasMetadata = setting.hasFeatures && isWildcard !== true;
  const values = some({
    origin: originLeaves(),
    ...(hasMetadata ? { custom_metadata: metadata() } : {}),
    ...(setting.hasSsl ? { ssl: isWildcard ? sslLeaves(setting) : sslLeavesOfOne(setting) } : {}),
  }).map(withOrigin);
  if (!setting.hasSsl) return values;
  const always: Record<string, JsonObject[string]> = {
    ...(isLong ? { cloudflare_branding: true } : {}),
    ...(isWildcard ? { method: "txt" } : {}),
    ...(isWildcard && !hostname.startsWith("*.") ? { wildcard: true } : {}),
  };
  return fc.tuple(values, upload(isUploaded === true)).map(([drawn, uploaded]) => {
    const ssl = { ...(drawn["ssl"] === null ? {} : asMap(drawn["ssl"])), ...always, ...uploaded };
    return Object.keys(ssl).length === 0 ? drawn : { ...drawn, ssl };
  });
}

/** Metadata with awkward keys and values. */
export function metadata(): fc.Arbitrary<Readonly<Record<string, string>>> {
  const keys = fc.constantFrom("tier", "tier", "customer-id", "with.dot", "größe", "env", "1");
  const values = fc.constantFrom("gold", "silver", "null", "0123", "", "zwei\nZeilen", 'say "so"', "yes");
  return fc.dictionary(keys, values, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
}

function upload(isUploaded: boolean): fc.Arbitrary<JsonObject> {
  if (!isUploaded) return fc.constant({});
  const pair = (name: string): JsonObject => ({
    custom_certificate: { env: `${name}_CERTIFICATE` },
    custom_key: { env: `${name}_KEY` },
  });
  return fc.constantFrom(pair("FIRST"), pair("SECOND"), { custom_cert_bundle: [pair("FIRST")] });
}

function originLeaves(): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(fc.constantFrom(...ORIGINS), fc.constantFrom(undefined, ":request_host_header:", "origin1.saas.net"))
    .map(([custom_origin_server, sni]) => ({
      custom_origin_server,
      ...(sni === undefined ? {} : { custom_origin_sni: sni }),
    }));
}

/** An SNI is only allowed together with an origin, so both are drawn together. */
function withOrigin({ origin, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...asMap(origin) };
}

/** Some of the members; sometimes one is null, which means unmanaged. */
function some(members: Record<string, fc.Arbitrary<JsonObject[string]>>): fc.Arbitrary<JsonObject> {
  const drawn = Object.entries(members).map(([key, value]) => {
    return fc.option(fc.tuple(fc.constant(key), value), { nil: undefined, freq: 2 });
  });
  return fc
    .tuple(...drawn)
    .map((pairs) =>
      Object.fromEntries(pairs.filter((pair): pair is [string, JsonObject[string]] => pair !== undefined)),
    );
}

function asMap(value: JsonObject[string] | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
