import type { Family } from "./client.ts";
import { CERTIFICATE_PACKS, CUSTOM_CERTIFICATES, CUSTOM_CSRS, PURGE, TOTAL_TLS } from "./explanations/certificates.ts";
import { COMMON, HTTP_STATUSES, REFUSED, SERVICE_FAILED } from "./explanations/common.ts";
import { CUSTOM_HOSTNAMES } from "./explanations/custom-hostnames.ts";
import type { Codes, Explanation } from "./explanations/entry.ts";
import { PREVIOUS_WAF, RULESETS } from "./explanations/rulesets.ts";
import { DNS_RECORDS, FALLBACK_ORIGIN, HOLDS, ZONES } from "./explanations/zones.ts";

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
