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
