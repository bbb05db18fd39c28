import type { Family } from "./client.ts";
import {
  badCredential,
  badValue,
  type Codes,
  type Explanation,
  FORGET_ZONE,
  notAllowed,
  notFound,
  refused,
  REPORT_IT,
  ZONE_GONE,
  ZONE_UNSEEN,
} from "./explanations/entry.ts";
import { CODES } from "../core/diagnostic.ts";

const BAD_TOKEN = badCredential("Cloudflare cannot read the API token");

/** Custom hostnames (docs/service.md#custom-hostname-error-codes); other families use the same numbers for other errors. */
const CUSTOM_HOSTNAMES: Codes = {
  1001: BAD_TOKEN,
  1002: BAD_TOKEN,
  1003: BAD_TOKEN,
  1004: BAD_TOKEN,
  1005: BAD_TOKEN,
  1400: refused("Cloudflare cannot read the call's body", REPORT_IT),
  1401: badValue("custom_metadata", "use plain JSON of at most 4 KB for custom_metadata"),
  1402: refused("the call names no zone", REPORT_IT),
  1403: badCredential("the call has no credential"),
  1404: refused(
    "custom hostnames are not enabled for the zone",
    "ask Cloudflare to enable custom hostnames for the zone",
  ),
  1405: refused("the zone has used all its custom hostnames", "delete some, or ask for a higher quota"),
  1406: refused(
    "a custom hostname with this name already exists",
    "plan again to adopt it; if it is in another zone of yours, delete it there first",
  ),
  1407: badValue("hostname", "use a name of fewer than 256 characters, no IP address, no special characters"),
  1408: badValue("hostname", "write the name in punycode (xn--…)"),
  1409: badValue("hostname", "test, example, invalid and localhost are reserved: use a real domain"),
  1410: badValue("hostname", "use a name below a public suffix, such as app.customer.com"),
  1411: badValue("hostname", "example.com, example.net and example.org are reserved: use a real domain"),
  1412: refused(
    "a wildcard cannot have custom metadata",
    "remove custom_metadata from the wildcard, or wildcard: true",
  ),
  1413: refused("the account may not use custom metadata", "remove custom_metadata, or ask for it (Enterprise add-on)"),
  1414: refused("the account may not use custom origins", "remove custom_origin_server, or ask for custom origins"),
  1415: badValue("custom_origin_server", "name a host, not an IP address"),
  1416: badValue("custom_origin_server", "write the name in punycode (xn--…)"),
  1417: badValue("custom_origin_server", "use a name of the zone, not of a reserved domain"),
  1418: badValue("custom_origin_server", "use a name below a public suffix"),
  1419: badValue("custom_origin_server", "use a name of the zone, not of example.com, .net or .org"),
  1420: badValue("custom_origin_server", "name one host, not a wildcard"),
  1421: refused(
    "the custom origin is not a DNS record of the zone",
    "add an A, AAAA or CNAME record for it to the zone, then apply again",
  ),
  1422: badValue("ssl.settings.http2", "use on or off"),
  1423: badValue("ssl.settings.tls_1_2_only", "leave it out, and use min_tls_version"),
  1424: badValue("ssl.settings.tls_1_3", "use on or off"),
  1425: badValue("ssl.settings.min_tls_version", "use 1.0, 1.1, 1.2 or 1.3"),
  1426: badValue("custom certificate", "give a PEM certificate, the leaf first"),
  1427: badValue("custom certificate", "the value is empty: check the variable or the file that it comes from"),
  1428: badValue("custom key", "give an unencrypted PEM private key"),
  1429: refused("the custom key does not match the custom certificate", "use the key of that certificate"),
  1430: badValue("ssl.custom_csr_id", "give the id of a CSR of the zone"),
  1431: refused("the CSR does not exist", "create the CSR first, and set ssl.custom_csr_id to its id"),
  1432: badValue("ssl.method", "use http, txt or email"),
  1433: badValue("ssl.type", "use dv"),
  1434: badValue("ssl", "fix the field that the message names"),
  1435: notFound("the id is not that of a custom hostname", "check the id, and the zone's id in the YAML"),
  1436: notFound("the custom hostname no longer exists", "plan again: it was deleted meanwhile"),
  1437: badValue("text to look for in hostnames", "look for 1 to 255 characters"),
  1438: refused("a list cannot be filtered by id and by hostname at once", "use one of them"),
  1439: refused(
    "Cloudflare cannot change this on an existing custom hostname",
    "replace the hostname, or leave the value as it is",
  ),
  1440: refused("ssl.type and ssl.method are both required", "set both"),
  1441: badValue("custom certificate", "give the whole chain, or choose another ssl.bundle_method"),
  1442: badValue("ssl.settings.ciphers", "use cipher names that Cloudflare lists"),
  1443: refused(
    "ciphers cannot be chosen together with a minimum of TLS 1.3",
    "remove ssl.settings.ciphers, or lower min_tls_version",
  ),
  1444: badValue("custom certificate", "give one leaf certificate only"),
  1445: badValue("custom certificate", "the leaf certificate is missing"),
  1446: badValue("custom certificate", "it must name the hostname"),
  1447: badValue("custom certificate", "it is signed with an algorithm that is too weak"),
  1448: refused("a certificate for this wildcard is not supported", "set wildcard: false, or ssl.method: txt"),
  1449: badValue("ssl.bundle_method", "use ubiquitous, optimal or force"),
  1456: refused("the account has no access to custom hostnames", "ask Cloudflare to enable them for the account"),
  1459: refused(
    "choosing a certificate authority needs an Enterprise account",
    "set certificate_authority: default, or leave it out",
  ),
  1469: refused("no name of the certificate has 64 characters or fewer", "set cloudflare_branding: true"),
  1500: refused("Cloudflare failed", "apply again later"),
};

const NEEDS_MANAGER = refused(
  "the zone does not have the certificate manager that this needs",
  "add Advanced Certificate Manager to the zone, or remove this from the YAML",
);

/** Total TLS (docs/service.md#total-tls). */
const TOTAL_TLS: Codes = {
  1450: NEEDS_MANAGER,
  1467: refused("Total TLS is already set like that", "there is nothing to do"),
  1482: refused("the last change of Total TLS is still being applied", "wait a few minutes, then apply again"),
};

/** Certificate packs (docs/service.md#certificate-packs). */
const CERTIFICATE_PACKS: Codes = {
  1408: notFound("the certificate pack does not exist", "plan again: it was deleted meanwhile"),
  1450: NEEDS_MANAGER,
};

/** Certificates uploaded for the zone (docs/service.md#custom-certificates). */
const CUSTOM_CERTIFICATES: Codes = {
  1408: notFound("the uploaded certificate does not exist", "list the ones that exist: zoneform certificates list"),
};

const SUBJECT = refused(
  "the subject of the CSR is incomplete: a field or the SANs are missing, or the common name is too long",
  "give country, state, locality, organisation, a common name of at most 64 characters, and at least one SAN",
);

/** Custom CSRs (docs/service.md#custom-csrs): the same numbers as custom hostnames, with other meanings. */
const CUSTOM_CSRS: Codes = {
  1403: refused("the account has no quota for CSRs", "ask for a higher quota (Enterprise)"),
  1404: refused("the account has no access to CSRs", "ask Cloudflare to add CSRs to the account (Enterprise)"),
  1405: SUBJECT,
  1406: refused("the CSR's subject has no state", "give a state"),
  1407: SUBJECT,
  1408: refused("the CSR's subject has no organisation", "give an organisation"),
  1409: SUBJECT,
  1410: SUBJECT,
  1411: SUBJECT,
  1414: refused("a name of the CSR is in a reserved domain", "use a real domain"),
  1417: refused("Cloudflare does not accept the CSR's key type", "use rsa2048 or p256v1"),
  1418: refused("the id is not that of a CSR", "check ssl.custom_csr_id"),
  1419: notFound("the CSR does not exist", "check ssl.custom_csr_id"),
  1420: refused("an active certificate uses the CSR", "upload another certificate first"),
};

/** Hostnames to purge (docs/service.md#cache-purge). */
const PURGE: Codes = {
  1012: refused("the call names nothing to purge", REPORT_IT),
  1014: refused(
    "the call does not list what to purge, or lists more than Cloudflare accepts",
    "purge fewer hosts in one call: --hosts-per-call 30",
  ),
  1107: refused(
    "the zone's subscription does not include this way to purge (by the old limits, only Enterprise does)",
    "purge by URL, or upgrade the subscription",
  ),
  1135: refused(
    "the zone's subscription does not include this way to purge",
    "purge by URL, or upgrade the subscription",
  ),
  1136: refused("this environment does not purge by URL", "purge by host"),
};

/** Rulesets and entry points (docs/service.md#rulesets). */
const RULESETS: Codes = {
  10001: notFound(
    "the ruleset does not exist, or the call is not allowed",
    "plan again; check the token's Zone WAF permission",
  ),
  10003: notFound("the phase has no entry point yet", "plan again to create it"),
  20217: refused(
    "the phase already has an entry point, and allows only one",
    "plan again, with adopt: true on the entry point",
  ),
  50002: refused(
    "the zone's subscription does not include this phase or feature",
    "remove it from the YAML, or upgrade the subscription",
  ),
};

/** The previous managed WAF rules (docs/service.md#error-codes, docs/service.md#previous-waf). */
const PREVIOUS_WAF: Codes = {
  1027: refused(
    "this package has no sensitivity and no action: only the anomaly one (OWASP) has",
    "set the package's groups and rules instead",
  ),
  10020: refused("Cloudflare no longer accepts writes of old firewall rules", "write them as rules of an entry point"),
};

/** Zones (docs/service.md#zones-and-plans). */
const ZONES: Codes = {
  1052: refused("Cloudflare refuses to create this zone", "create it in the dashboard, which shows the reason"),
  1061: refused("a zone with this name already exists", "use that zone: put its id into the YAML"),
  1099: refused("Cloudflare refuses to create this zone", "create it in the dashboard, which shows the reason"),
  1116: refused("Cloudflare refuses to create this zone", "create it in the dashboard, which shows the reason"),
};

/** Zone holds (docs/service.md#zone-holds). */
const HOLDS: Codes = {
  1003: notFound("the zone has no hold", "there is nothing to release"),
  1005: refused("only Enterprise zones can have a hold", "upgrade the subscription, or remove the hold from the YAML"),
};

const SAME_RECORD = refused("a DNS record like this already exists", "use the existing record");

/** DNS records (docs/service.md#error-codes, docs/service.md#dns-records). */
const DNS_RECORDS: Codes = {
  1003: refused("this DNS setting is not available for the zone", "leave it out, or upgrade the subscription"),
  1039: refused(
    "the record is the zone's fallback origin, and cannot be deleted while it is",
    "remove the fallback origin, wait until it is gone, then delete the record",
  ),
  81044: notFound("the DNS record does not exist", "plan again: it was deleted meanwhile"),
  81057: SAME_RECORD,
  81058: SAME_RECORD,
};

/** The fallback origin (docs/service.md#fallback-origin). */
const FALLBACK_ORIGIN: Codes = {
  1414: refused("the fallback origin is still being deployed", "wait a minute, then apply again"),
  1456: refused("the account has no access to custom hostnames", "ask Cloudflare to enable them for the account"),
  1551: notFound("the zone has no fallback origin", "plan again to set it"),
};

/** Too many calls, when the service first says so; `THROTTLED` is for when waiting did not help. */
const TOO_MANY: Explanation = {
  kind: "throttled",
  cause: "Cloudflare is rate limiting these calls",
  remedy: "wait 5 minutes, or lower budget.api",
};

/** A wrong path or a malformed id; it says nothing about the zone itself. */
const NOT_ROUTED: Explanation = notFound(
  "Cloudflare could not route the call",
  `check --api-url and CLOUDFLARE_BASE_URL (the API's path usually ends in /client/v4), and the zone's id in the YAML; ${FORGET_ZONE}`,
);

/** Codes that mean the same in every family (docs/service.md#error-codes). */
export const COMMON: Codes = {
  971: TOO_MANY,
  1000: badCredential("the API token is not valid"),
  6003: badCredential("the credential does not have the form that Cloudflare expects"),
  6103: badCredential("CLOUDFLARE_API_KEY does not look like a key", "put an API token into CLOUDFLARE_API_TOKEN"),
  6111: badCredential("CLOUDFLARE_API_TOKEN does not look like a token"),
  7000: ZONE_GONE,
  7001: refused("Cloudflare does not know this method for the path", REPORT_IT),
  7003: NOT_ROUTED,
  9103: badCredential("the key and the e-mail do not match", "check CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY"),
  9106: badCredential("Cloudflare found no credential in the call"),
  9109: ZONE_UNSEEN,
  10000: notAllowed(
    "the credential is not valid, or lacks the permission for this",
    "give the token SSL and Certificates, Zone WAF and Zone permissions for the zone (Read is enough for plan and drift)",
  ),
  10001: notAllowed(
    "the credential may not use this call, or the object does not exist",
    "check the token's permissions and the zone's id",
  ),
  10100: TOO_MANY,
};

/** Too many calls, and waiting did not help. */
const THROTTLED: Explanation = {
  kind: "throttled",
  ...CODES.throttled,
};

/** An error of the service itself. */
const SERVICE_FAILED: Explanation = {
  kind: "service-failed",
  ...CODES["service-failed"],
};

/** A refusal with nothing but a status. */
const REFUSED: Explanation = refused("Cloudflare refused the call", "fix what it names, then try again");

/** What an HTTP status means when there is no code (docs/service.md#error-codes). */
export const HTTP_STATUSES: Codes = {
  401: badCredential("the credential is not valid", "check the credential in the environment"),
  403: notAllowed("the credential lacks the permission for this", CODES["not-allowed"].remedy),
  404: { kind: "not-found", ...CODES["not-found"] },
  405: refused("Cloudflare does not know this method for the path", REPORT_IT),
  409: refused("the call conflicts with what exists already", "plan again: live has changed"),
  410: refused(
    "Cloudflare has switched this call off: the previous managed WAF rules are gone",
    "manage the zone's rules as entry_points",
  ),
  429: THROTTLED,
  500: SERVICE_FAILED,
  502: SERVICE_FAILED,
  503: SERVICE_FAILED,
  504: SERVICE_FAILED,
};

/** The codes of each family of calls: every message about a refusal comes from this table. */
export const FAMILIES: Readonly<Record<Family, Codes>> = {
  zones: ZONES,
  holds: HOLDS,
  dns_records: DNS_RECORDS,
  custom_hostnames: CUSTOM_HOSTNAMES,
  custom_csrs: CUSTOM_CSRS,
  fallback_origin: FALLBACK_ORIGIN,
  rulesets: RULESETS,
  waf: PREVIOUS_WAF,
  total_tls: TOTAL_TLS,
  certificate_packs: CERTIFICATE_PACKS,
  custom_certificates: CUSTOM_CERTIFICATES,
  purge: PURGE,
  settings: {},
};

/** What a code means in a family; undefined if that is unknown. */
export function explanation(family: Family, code: number): Explanation | undefined {
  return FAMILIES[family][code] ?? COMMON[code];
}

/** What an HTTP status means when no code is known. */
export function explanationOfStatus(status: number): Explanation {
  return HTTP_STATUSES[status] ?? (status >= 500 ? SERVICE_FAILED : REFUSED);
}
