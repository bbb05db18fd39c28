/** What a status or a text of the service means, and what to do. */
export interface Meant {
  readonly cause: string;
  readonly remedy: string;
}

const NOTHING = "nothing";
const WAIT = "wait: Cloudflare goes on by itself";
const TESTING = "this is a state of Cloudflare's own tests; if it stays, ask Cloudflare";

const meant = (cause: string, remedy: string = NOTHING): Meant => ({ cause, remedy });

/** `status` of a custom hostname (docs/service.md#hostname-lifecycle). */
export const HOSTNAME_STATUSES: Readonly<Record<string, Meant>> = {
  active: meant("the hostname is verified, and served"),
  pending: meant(
    "the hostname is not verified yet; verification_errors say what is missing",
    "the customer has to set the records that zoneform hostname todo lists",
  ),
  active_redeploying: meant("a change is being rolled out; the hostname is served meanwhile", WAIT),
  moved: meant(
    "the hostname's DNS points elsewhere, or it never validated; 7 days after it moved, Cloudflare deletes it",
    "the customer has to point the name at the zone again, then: zoneform hostname retry HOSTNAME",
  ),
  blocked: meant(
    "the hostname belongs to a held zone, whose hold also prevents subdomains (or it was flagged for abuse)",
    "the owner of the domain has to release the hold of the zone, then: zoneform hostname retry HOSTNAME",
  ),
  caa_error: meant(
    "CAA records of the domain keep the certificate authority from issuing",
    "the customer has to set the CAA records that zoneform hostname todo lists, or choose another CA with ssl.certificate_authority",
  ),
  pending_blocked: meant("the hostname is about to be blocked", "see: zoneform explain blocked"),
  pending_deletion: meant("the hostname is being deleted", WAIT),
  deleted: meant(
    "Cloudflare deleted the hostname: it never validated, or was moved for 7 days",
    "validate it again with: zoneform hostname retry HOSTNAME; once it is gone altogether, when_expired: create creates it anew",
  ),
  pending_migration: meant("the hostname is being taken over from another zone", WAIT),
  pending_provisioned: meant("the hostname is verified, and about to be served", WAIT),
  provisioned: meant("the hostname is verified, and about to be served", WAIT),
  test_pending: meant("a hostname of a test, not verified yet", TESTING),
  test_active: meant("a hostname of a test, verified", TESTING),
  test_active_apex: meant("a hostname of a test at the top of its domain, verified", TESTING),
  test_blocked: meant("a hostname of a test, blocked", TESTING),
  test_failed: meant("a hostname of a test that failed", TESTING),
};

const RETRY = "set the records that are missing, then: zoneform hostname retry HOSTNAME";
const LATER =
  "start it again with: zoneform hostname retry HOSTNAME; if that does not help, delete and create the hostname";

/** `ssl.status` of a custom hostname, and `status` of a certificate pack (docs/service.md#certificate-lifecycle). */
export const CERTIFICATE_STATUSES: Readonly<Record<string, Meant>> = {
  initializing: meant("the certificate was just ordered; validation records come in some seconds", WAIT),
  pending_validation: meant(
    "the CA has not seen yet that the domain agrees",
    "the customer has to set the records that zoneform hostname todo lists",
  ),
  pending_issuance: meant("the CA is about to issue; validation_errors say what keeps it from it", WAIT),
  pending_deployment: meant("the certificate is issued, and being rolled out", WAIT),
  active: meant("the certificate is issued, and served"),
  pending_expiration: meant(
    "the certificate is about to expire, and was not renewed",
    "upload a new one where it was uploaded; else see that its validation records are set, then: zoneform hostname retry HOSTNAME",
  ),
  expired: meant(
    "the certificate has expired",
    "upload a new one where it was uploaded; else see that its validation records are set, then: zoneform hostname retry HOSTNAME",
  ),
  initializing_timed_out: meant("the order did not get to the CA in time", LATER),
  validation_timed_out: meant("the validation records were not found in time", RETRY),
  issuance_timed_out: meant("the CA did not issue in time; CAA records are a common reason", RETRY),
  deployment_timed_out: meant("the certificate could not be rolled out in time", LATER),
  deletion_timed_out: meant("the certificate could not be deleted in time", "delete it again"),
  pending_deletion: meant("the certificate is being deleted", WAIT),
  deleted: meant("the certificate is deleted"),
  pending_cleanup: meant("the certificate was replaced, and serves until its successor does", WAIT),
  staging_deployment: meant("the certificate is being rolled out to staging", WAIT),
  staging_active: meant("the certificate is served in staging only", "promote it, where it shall be served to all"),
  deactivating: meant("the certificate is being taken out of service", WAIT),
  inactive: meant("the certificate is not served", "activate it, where it shall be served"),
  backup_issued: meant("a certificate of another CA is ready, in case this one fails"),
  holding_deployment: meant(
    "an uploaded certificate waits: the zone is not active yet, or has moved",
    "point the zone's name servers at Cloudflare",
  ),
};

const PROXIED = "its name has to be a proxied A, AAAA or CNAME record of the zone";

/** `status` of the fallback origin (docs/service.md#fallback-origin). */
export const FALLBACK_STATUSES: Readonly<Record<string, Meant>> = {
  initializing: meant("the fallback origin was just set", WAIT),
  pending_deployment: meant("the fallback origin is being rolled out", `wait some seconds; if it stays, ${PROXIED}`),
  active: meant("the fallback origin is set, and serves"),
  pending_deletion: meant("the fallback origin is being removed", WAIT),
  deployment_timed_out: meant("the fallback origin could not be rolled out", `${PROXIED}; then apply again`),
  deletion_timed_out: meant("the fallback origin could not be removed", "remove it again"),
};

/** `migration_state` of the managed WAF rules (docs/service.md#waf-migration). */
export const MIGRATION_STATES: Readonly<Record<string, Meant>> = {
  default: meant("the zone has not begun to migrate its managed WAF rules"),
  start: meant("the zone has not begun to migrate its managed WAF rules"),
  validation: meant(
    "previous and new managed rules are both on, the new ones first, so that they can be compared",
    "look at the security events, then finish with waf_migration.target: new; that cannot be undone",
  ),
  complete: meant("the new managed rules are on and the previous ones are off; that cannot be undone"),
};

/** Our name for a text; the service has none. */
type TextCode =
  | "does-not-cname"
  | "no-owned-address"
  | "token-useless"
  | "no-fallback-origin"
  | "fallback-origin-not-active"
  | "held-zone"
  | "caa-lookup-failed"
  | "caa-error"
  | "potential-risk";

/** A text that the service writes into `verification_errors` or `validation_errors`. */
interface MeantText extends Meant {
  readonly code: TextCode;
  /** The part of the service's text that is always the same. */
  readonly text: string;
}

/**
 * The texts that say why a hostname or its certificate is not active (docs/service.md#verification-errors,
 * docs/service.md#caa). The first match wins.
 */
export const TEXTS: readonly MeantText[] = [
  {
    code: "does-not-cname",
    text: "custom hostname does not CNAME to this zone",
    cause: "the hostname's DNS does not point at the zone",
    remedy: "the customer has to set a CNAME record to the zone's fallback origin: zoneform hostname todo",
  },
  {
    code: "no-owned-address",
    text: "None of the A or AAAA records are owned by this account",
    cause: "the hostname points elsewhere, and its ownership token was not found",
    remedy: "the customer has to set the CNAME record, or first the ownership record: zoneform hostname todo",
  },
  {
    code: "token-useless",
    text: "cannot be activated with a TXT or HTTP token",
    cause: "the hostname is served by Cloudflare already, in another zone, so a token proves nothing",
    remedy: "the customer has to point the name at this zone by a CNAME record",
  },
  {
    code: "no-fallback-origin",
    text: "Zone does not have a fallback origin set",
    cause: "the zone has no fallback origin, so there is nowhere to send requests to",
    remedy: "declare fallback_origin in the zone's YAML, and apply",
  },
  {
    code: "fallback-origin-not-active",
    text: "Fallback origin is in a status of",
    cause: "the zone's fallback origin does not serve yet, or no longer does",
    remedy: "its name has to be a proxied A, AAAA or CNAME record of the zone",
  },
  {
    code: "held-zone",
    text: "The hostname is associated with a held zone",
    cause: "the hostname belongs to a held zone, whose hold also prevents subdomains",
    remedy: "the owner of the domain has to release the hold of the zone, then: zoneform hostname retry HOSTNAME",
  },
  {
    code: "caa-lookup-failed",
    text: "SERVFAIL looking up CAA",
    cause: "the domain's name servers do not answer the query for CAA records",
    remedy: "ask the customer to fix the domain's DNS; to see the error, query type CAA",
  },
  {
    code: "caa-error",
    text: "caa_error",
    cause: "CAA records of the domain keep the certificate authority from issuing",
    remedy:
      "the customer has to allow the CA by CAA records, issue and issuewild with flag 0; see them with a DNS query of type CAA",
  },
  {
    code: "potential-risk",
    text: "reported as potential risk",
    cause: "the CA takes the name for dangerous, or like a well-known brand",
    remedy: "choose another certificate_authority, or have the CA look at the name",
  },
];

/** What a text of the service means; undefined for an unknown text. */
export function meaningOfText(text: string): MeantText | undefined {
  const found = text.toLowerCase();
  return TEXTS.find((known) => found.includes(known.text.toLowerCase()));
}

/** Whether one of the texts has that name. */
export function saysOneOf(texts: readonly string[], code: TextCode): boolean {
  return texts.some((text) => meaningOfText(text)?.code === code);
}
