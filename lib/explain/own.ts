import type { Meant } from "../service/explanations/statuses.ts";

const PLAN_AGAIN = "plan again: what is as it was keeps its approval";
const RIGHT_STATE = "put back the state and the journal that belong together; keep a copy of what is there";
const WHOLE = "see whether the file is whole, and fetch it again if it is not";

/**
 * Zoneform's own codes, which stand in brackets behind its messages: guards, findings, conflicts, failed calls, sources
 * and states. What is wrong in a file says so at its place, with its remedy, and is not repeated here.
 */
export const OWN_CODES: Readonly<Record<string, Meant>> = {
  // Guards: exit code 4.
  protected: {
    cause: "the plan would delete or replace an object that has protect: true",
    remedy: "apply protect: false for it first; that takes two plans on purpose",
  },
  "unmanaged-entry-point": {
    cause: "the phase has an entry point that zoneform does not manage, perhaps with rules of others",
    remedy: "take it over with adopt: true, or with: zoneform import --write zone/<zone_id>/<ruleset_id>",
  },
  "still-serves": {
    cause: "the fallback origin would go, and hostnames that serve from it may not be deleted",
    remedy: "see what is said at those; until they are gone, leave the fallback origin out with --exclude",
  },
  "subscription-too-small": {
    cause: "a change wants what the zone's subscription does not allow, as far as the plan's name tells",
    remedy: "do without it, or have the subscription changed; a contract may grant more than the name of the plan says",
  },
  "subscription-unknown": {
    cause: "the token may not read what the zone is subscribed to, so whether the service allows a change is not known",
    remedy: "give the token the permission that the finding names",
  },
  "rules-before-migration": {
    cause: "a Pro or Business zone may not run new managed rules before its migration",
    remedy: "declare waf_migration with target: new beside the entry point, or set enabled: false on its rules",
  },
  "pack-quota": {
    cause: "the plan orders more certificate packs than the zone may have",
    remedy: "remove packs first, or have the quota raised; without Advanced Certificate Manager it is 0",
  },
  "zone-unread": {
    cause: "the token may not read the zone itself, so its name was not compared with the YAML",
    remedy: "give the token Zone Read for the zone",
  },
  "deletion-limit": {
    cause: "the plan takes away more objects of a kind than deletion_limits allows",
    remedy: "look at them; approve exactly that plan with apply --approve HASH or undo RUN --approve HASH",
  },
  "companion-not-declared": {
    cause: "the call of a step replaces an entry point that the YAML does not declare",
    remedy: "declare the entry point with the rules that are to stay",
  },
  "waits-for-another": {
    cause: "the object is saved together with another one, which is refused or has no way back",
    remedy: "see what is said at that one",
  },
  "denied-value": {
    cause: "a value that is wanted is one that a check denies",
    remedy: "choose another value, or change the check",
  },
  "denied-by-flag": {
    cause: "a change has a hazard or an action that --deny refuses",
    remedy: "leave the change out with --exclude, or leave out --deny",
  },
  "too-many-changes": {
    cause: "the plan has more changes than --max-changes allows",
    remedy: "look at the plan; raise --max-changes if it is what you mean",
  },
  "not-approved": {
    cause: "something would be written, and nobody is there to approve it",
    remedy: "have it reviewed, then run it with --auto-approve",
  },
  "plan-not-saved": {
    cause: "a zone could not be planned, so that the plan is not that of the whole project",
    remedy: "mend what is said of that zone, or choose the others with --zone",
  },
  // Looking for drift.
  "no-state": {
    cause: "nothing says what was applied last in the zone: there is no state of it here",
    remedy:
      "run it where the state is kept, or apply first; zoneform drift --against config compares with the YAML alone",
  },
  "not-looked-at": {
    cause: "what a zone before it met (a credential, the network) would meet this one as well",
    remedy: "see what is said of that zone",
  },
  "hazard-not-approved": {
    cause: "a change is as it was approved, but has a hazard by now that it did not have then",
    remedy: "look at it, plan again, and have that plan approved",
  },
  "another-plan": {
    cause: "the plan is another one than was approved, and what was approved is not known here by its hash alone",
    remedy: "give the plan file that was approved as well, or plan again and have that approved",
  },
  "plan-of-another-version": {
    cause: "a plan file, or a hash, was made by another version of zoneform, in which equal changes have other digests",
    remedy: "plan again with this version, and have that approved",
  },
  // Findings of a plan.
  "foreign-hostnames": {
    cause: "custom hostnames are live that are neither declared nor known",
    remedy: "declare them; or set custom_hostnames.foreign to ignore, or to adopt with a policy that matches them",
  },
  "another-of-this-name": {
    cause:
      "somebody deleted what was applied and created another object with its name; the YAML does not declare it, so it stays live",
    remedy: "declare it to take it over, or delete it where it was made",
  },
  "expired-hostnames": {
    cause: "the service deleted custom hostnames by itself: never validated, or moved away for 7 days",
    remedy: "remove the entries, or set custom_hostnames.when_expired: create",
  },
  "observations-damaged": {
    cause: "lines of the record in which runs keep what they saw of hostnames cannot be read; they are left out",
    remedy: "remove them with: zoneform state repair",
  },
  "observations-unread": {
    cause: "the record in which runs keep what they saw of hostnames cannot be read; the run did without it",
    remedy: "see what is said of it; a hostname that the service deleted may be told as deleted by somebody",
  },
  "observations-not-kept": {
    cause: "drift or status could not write down what they saw of hostnames; they went on",
    remedy: "let them write beside the state, or say --no-record",
  },
  "denied-live-value": {
    cause: "a check finds a value that is live; a check only finds, and changes nothing",
    remedy: "set another value by a policy",
  },
  "cannot-be-undone": {
    cause: "what a run did has no way back, or nothing is kept of it",
    remedy: "the message says of which objects, and why; change them in the YAML",
  },
  "yaml-says-otherwise": {
    cause: "the YAML still wants what an undo takes back, so that the next apply does it again",
    remedy: "change the YAML as well",
  },
  "exception-without-hit": {
    cause: "an exception matches no hostname, so what it is meant for is not protected by it",
    remedy: "mend its match, or remove it",
  },
  "exception-ended": {
    cause: "an exception held until a day that is over",
    remedy: "remove it, or give it a later date",
  },
  // What plan --check-dns finds.
  "no-cname": {
    cause: "a hostname does not lead to the zone by a CNAME, so it will not become active",
    remedy: "the customer has to set the CNAME record that the finding names",
  },
  "cname-unclear": {
    cause: "a hostname has no CNAME, but addresses of the zone's target, as apex proxying looks",
    remedy: "see that the addresses are those that the service gave for it",
  },
  "caa-blocks-ca": {
    cause: "CAA records of the domain keep the chosen certificate authority from issuing",
    remedy: "the customer has to set the CAA records that the finding names, flag 0, or another CA is chosen",
  },
  "caa-restricts-ca": {
    cause: "CAA records allow the certificate authority for certain accounts or methods only",
    remedy: "see whether the service's account and the validation method are among them",
  },
  "caa-allows-now": {
    cause: "the service met CAA records that kept the CA from issuing, and DNS shows other ones by now",
    remedy: "have the hostname validated again: zoneform hostname retry HOSTNAME",
  },
  "caa-unseen": {
    cause: "the service says that CAA records block the CA, and the DNS server that was asked does not know the domain",
    remedy: "see the records with a DNS query of type CAA, or name a DNS server that knows the domain with --resolver",
  },
  "dns-unchecked": { cause: "DNS did not answer, so nothing is known", remedy: "look again later, or use --resolver" },
  "dns-records-unreadable": {
    cause: "the token may not read the zone's DNS records",
    remedy: "give it DNS Read for the zone, or have no look at the fallback origin's record",
  },
  "no-fallback-origin": {
    cause: "hostnames are wanted, and the zone has no fallback origin, nor is one declared",
    remedy: "declare fallback_origin in the zone's YAML",
  },
  "fallback-record-missing": {
    cause: "the fallback origin has no DNS record in the zone",
    remedy: "add a proxied A, AAAA or CNAME record for it",
  },
  "fallback-record-unproxied": {
    cause: "the fallback origin's DNS record is not proxied",
    remedy: "turn the proxy on for the record",
  },
  // The migration of the managed WAF rules.
  "waf-target-below-live": {
    cause: "the zone is further than waf_migration.target, and there is no way back",
    remedy: "set waf_migration.target to where the zone is",
  },
  "waf-uri-overrides": {
    cause: "the zone has URI-based WAF overrides, which cannot be migrated",
    remedy: "set waf_migration.delete_uri_overrides: true to have them deleted",
  },
  "waf-firewall-rules": {
    cause: "more than 200 firewall rules would have to be migrated",
    remedy: "contact support, or delete some",
  },
  "waf-expression-length": {
    cause: "the expression of a firewall rule that would have to be migrated is longer than 4 KB",
    remedy: "contact support, or shorten it",
  },
  "waf-ineligible": { cause: "the service says that the zone cannot be migrated", remedy: "contact support" },
  "waf-lost-groups": {
    cause: "what was set for groups of the previous managed rules is not migrated",
    remedy: "declare rules that do the same, and list the groups in waf_migration.accept_lost.groups",
  },
  "waf-lost-rules": {
    cause: "what was set for rules of the previous managed rules is not migrated",
    remedy: "declare rules that do the same, and list them in waf_migration.accept_lost.rules",
  },
  "waf-unconfirmed": {
    cause: "the migration cannot be undone, and nobody has confirmed it",
    remedy: "set waf_migration.confirm_irreversible to the zone's id",
  },
  // Conflicts: exit code 5.
  "changed-since-plan": { cause: "somebody changed the object since the plan was made", remedy: PLAN_AGAIN },
  "changed-since-run": {
    cause: "what a run did was changed since, so that undoing it would take that change away as well",
    remedy: "look at the difference; change it in the YAML",
  },
  "overwrote-another-write": {
    cause: "somebody wrote a ruleset between the re-read and the write that replaced it",
    remedy: "put back what is missed: the service keeps that version",
  },
  "gone-since-plan": { cause: "somebody deleted the object since the plan was made", remedy: PLAN_AGAIN },
  "exists-already": {
    cause: "somebody created the object since the plan was made",
    remedy: "plan again: what is declared and live is adopted by its name",
  },
  "secret-changed-since-plan": {
    cause: "a secret is another one than the plan was made with",
    remedy: "plan again with the secret that is meant",
  },
  "plan-of-another-endpoint": {
    cause: "the saved plan was made against another endpoint than this run calls",
    remedy: "set CLOUDFLARE_BASE_URL or --api-url as it was, or plan again",
  },
  "plan-of-another-state": {
    cause: "the saved plan was made with a state of another lineage",
    remedy: "plan again with the state that is meant",
  },
  "names-nothing": {
    cause: "an address that was selected is neither declared, tracked nor live",
    remedy: "zoneform plan and zoneform state list show the addresses",
  },
  // Calls.
  "no-credential": {
    cause: "no credential is set in the environment",
    remedy: "set CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY",
  },
  "bad-credential": {
    cause: "the service does not take the credential for one",
    remedy: "check the credential in the environment: that it is whole, still valid, and of this account",
  },
  "not-allowed": {
    cause: "the credential may not do this, or may not see the zone",
    remedy: "give the token the permission, for this zone",
  },
  "refused-by-service": {
    cause: "the service understood the call, and refused it",
    remedy: "the message has the service's code: zoneform explain CODE",
  },
  "not-found": { cause: "the service knows no such object", remedy: "check the ids, then plan again" },
  throttled: {
    cause: "the service refuses calls as too many, and waiting did not help",
    remedy: "see who else uses the same user's credentials; wait 5 minutes, or lower budget.api",
  },
  "service-failed": { cause: "the service failed", remedy: "try again later; see its status page" },
  unconfirmed: {
    cause: "the service answered that a write was done, but neither its answer nor the live object shows what was sent",
    remedy: "look at the live object, then plan again; the next run reads it before it writes",
  },
  "no-fresh-read": {
    cause: "a write leaves within a second of the read that it rests on, and in 10 attempts that was not possible",
    remedy: "apply again, with a lower --parallelism or when the machine and the rate limits are less busy",
  },
  "answer-lost": {
    cause: "a write was sent and its answer never came: it may have taken effect",
    remedy: "do the same again: the object is looked up first, so nothing is made twice",
  },
  unreachable: {
    cause: "no answer came, and nothing can have changed",
    remedy: "check --api-url or CLOUDFLARE_BASE_URL, the network, the firewall and proxies on the way",
  },
  "not-json": {
    cause: "what answered is not the service's API",
    remedy: "check --api-url and CLOUDFLARE_BASE_URL (the API's path usually ends in /client/v4)",
  },
  redirected: {
    cause: "what answered points elsewhere, and zoneform takes its credential nowhere else",
    remedy: "check --api-url and CLOUDFLARE_BASE_URL",
  },
  "strange-answer": {
    cause: "the service's answer is not of the documented form",
    remedy: "try again; if it stays, please report it with the message",
  },
  unexpected: { cause: "something went wrong that should not", remedy: "please report it with the message" },
  "zone-name-differs": {
    cause: "the zone of that id has another name than the YAML gives it",
    remedy: "correct zone.id or zone.name: nothing is planned for a zone that may be another one",
  },
  // Sources that may have been cut short: nothing is planned from them.
  "source-empty": { cause: "a source has no rows, which is never taken to mean that all hostnames go", remedy: WHOLE },
  "source-incomplete": { cause: "a source has fewer rows than complete.min_rows", remedy: WHOLE },
  "source-shrank": { cause: "a source lost more rows since the last apply than complete.max_shrink", remedy: WHOLE },
  "source-cut-short": {
    cause: "the last line of a source does not end, as in a file that was cut short",
    remedy: WHOLE,
  },
  "source-tail-gone": {
    cause:
      "a source lost two or more rows since the last apply, and they are exactly its last ones: so looks a file that was cut short",
    remedy: "if the file is whole, approve exactly that plan: apply --approve HASH; or prove it with complete.manifest",
  },
  "manifest-mismatch": { cause: "a source is not the file that its manifest describes", remedy: WHOLE },
  "manifest-malformed": {
    cause: "the manifest of a source has no row count or no checksum",
    remedy: 'write { "rows": 38000, "sha256": "…" }, the rows without the header and the SHA-256 of the file',
  },
  // States.
  locked: { cause: "another run holds the lock of the zone's state", remedy: "wait for it, or use --lock-timeout" },
  "state-taken-over": {
    cause: "somebody freed the state's lock (zoneform state unlock), or replaced the state, while a run held it",
    remedy: "see that nobody else is at it, then apply again: it goes on from what is known by then",
  },
  "state-damaged": { cause: "the state is not what zoneform wrote", remedy: RIGHT_STATE },
  "state-missing": {
    cause: "the state is missing, and the journal of an interrupted run or earlier copies are there",
    remedy:
      "put back the state, or let zoneform state repair --from backup do it; only if the zone is to start anew, remove what is there",
  },
  "state-sealed": {
    cause: "the state is encrypted, and no passphrase is set",
    remedy: "set ZONEFORM_STATE_PASSPHRASE",
  },
  "state-not-opened": {
    cause: "no line of the state can be decrypted with the passphrase that is set",
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the one that it was written with",
  },
  "state-not-sealed": {
    cause: "a passphrase is set, and the state is not encrypted",
    remedy: "if it may be trusted: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt",
  },
  "run-not-finished": {
    cause: "a run was stopped, or is under way, and what it did is not on record yet",
    remedy: "let an apply finish it; then it can be undone",
  },
  "another-is-tracked": {
    cause: "an import would take the place of another live object, which nobody would know any more",
    remedy: "forget that one with zoneform state rm, or delete it",
  },
  "secret-inside": {
    cause: "a plan or a state that was to be written holds a credential or another secret of this run",
    remedy: "take the secret out of what is declared or live",
  },
  "state-newer": {
    cause: "the state was written by a newer zoneform",
    remedy: "use that version of zoneform or a later one",
  },
  "state-of-another-zone": {
    cause: "the state is that of another zone",
    remedy: "put the state of the right zone there; states cannot be exchanged between zones",
  },
  "older-state": {
    cause:
      "an older state was put back: a later serial stands in a copy, a run's record, the last write or the lock beside it",
    remedy:
      "zoneform state repair --from backup --zone ZONE puts the newest copy back; zoneform state push --older FILE keeps the state in that file",
  },
  "zone-state-in-use": {
    cause:
      "the state that is to be removed protects objects, or a run was stopped before it saw an answer about some of them",
    remedy: "see that the zone is gone, then: zoneform state rm --zone ZONE --force",
  },
  "state-older-than-journal": { cause: "the state is older than the journal beside it", remedy: RIGHT_STATE },
  "journal-of-another-state": { cause: "the journal belongs to another state", remedy: RIGHT_STATE },
  "journal-damaged": {
    cause: "a line of the journal does not match its checksum, or is not what zoneform wrote",
    remedy: "zoneform state repair --zone ZONE keeps every line that is whole, and a copy of the file as it was",
  },
  "no-backup": {
    cause: "no copy of the state is newer than the state itself",
    remedy: "zoneform state push --older FILE keeps a state that you have elsewhere",
  },
  "last-write-damaged": {
    cause: "the record of the last write of a state cannot be read, so it says nothing about the state",
    remedy: "the next apply writes it anew",
  },
  // Uploaded certificates.
  "secret-not-at-hand": {
    cause: "a secret that the YAML refers to is not where the command runs, so nobody can tell whether it changed",
    remedy: "set it there, or let the job go without it: what it cannot compare is no difference",
  },
  "secret-missing": {
    cause: "a secret that would be sent is not where the command runs",
    remedy: "provide it where plan and apply run",
  },
  "certificate-expired": {
    cause: "an uploaded certificate has expired, and visitors' browsers refuse it; the service does not renew it",
    remedy: "renew it where it came from, and give the new one",
  },
  "certificate-not-yet-valid": {
    cause: "an uploaded certificate is valid from a later day on, and visitors' browsers refuse it until then",
    remedy: "upload it from that day on",
  },
  "certificate-chain-incomplete": {
    cause: "bundle_method force serves the chain as it is given, and there is no intermediate certificate in it",
    remedy: "put the intermediates behind the certificate, or set bundle_method: ubiquitous",
  },
  // Budgets and output.
  "empty-budget": {
    cause: "the budget never has room for all the calls or certificates that one change needs at once",
    remedy: "raise budget.api or budget.issuance in zoneform.yaml, or set it to unlimited",
  },
  "output-link": {
    cause: "the file that was to be written is a symbolic link, or lies behind one",
    remedy: "remove the link, or name a path without one",
  },
  "output-lost": {
    cause: "standard output could not be written; everything but printing was carried out",
    remedy: "make room or send the output elsewhere; zoneform undo --list shows what a run did",
  },
  "not-loopback": {
    cause: "the emulator listens on loopback addresses only, because its admin API asks for no credentials",
    remedy: "use --host 127.0.0.1 or ::1, and run the client on the same machine",
  },
};
