import { type Codes, notFound, refused, REPORT_IT } from "./entry.ts";

const NEEDS_MANAGER = refused(
  "the zone does not have the certificate manager that this needs",
  "add Advanced Certificate Manager to the zone, or remove this from the YAML",
);

/** Total TLS (docs/service.md#total-tls). */
export const TOTAL_TLS: Codes = {
  1450: NEEDS_MANAGER,
  1467: refused("Total TLS is already set like that", "there is nothing to do"),
  1482: refused("the last change of Total TLS is still being applied", "wait a few minutes, then apply again"),
};

/** Certificate packs (docs/service.md#certificate-packs). */
export const CERTIFICATE_PACKS: Codes = {
  1408: notFound("the certificate pack does not exist", "plan again: it was deleted meanwhile"),
  1450: NEEDS_MANAGER,
};

/** Certificates uploaded for the zone (docs/service.md#custom-certificates). */
export const CUSTOM_CERTIFICATES: Codes = {
  1408: notFound("the uploaded certificate does not exist", "list the ones that exist: zoneform certificates list"),
};

const SUBJECT = refused(
  "the subject of the CSR is incomplete: a field or the SANs are missing, or the common name is too long",
  "give country, state, locality, organisation, a common name of at most 64 characters, and at least one SAN",
);

/** Custom CSRs (docs/service.md#custom-csrs): the same numbers as custom hostnames, with other meanings. */
export const CUSTOM_CSRS: Codes = {
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
export const PURGE: Codes = {
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
