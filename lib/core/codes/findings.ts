/** Findings in live objects: in a plan, in drift, in a status. */
export const FINDINGS = {
  "no-state": {
    cause: "there is no state of the zone here, so it is not known what was applied last",
    remedy: "run it where the state is, or apply first; to compare with the YAML only: zoneform drift --against config",
  },
  "not-looked-at": {
    cause: "this zone was skipped: the problem of an earlier zone (a credential, the network) would stop it too",
    message: "{zone} was skipped: the problem of {other-zone} would stop it too",
    remedy: "see the message about {other-zone}",
  },
  "foreign-hostnames": {
    cause: "custom hostnames are live that the YAML does not declare and the state does not know",
    message: "{hostnames} live, but neither declared nor in the state: {names}",
    remedy: "declare them; or set custom_hostnames.foreign to ignore, or to adopt with a policy that matches them",
  },
  "foreign-rules-known": {
    cause: "foreign rules let traffic past yours, as they did at their last review with a plan",
    remedy: "nothing to do; they are named again when one of them becomes wider",
  },
  "foreign-rules-changed": {
    cause: "a foreign rule beside ours was added, changed or removed since their last review with a plan",
    remedy: "to record it as reviewed, apply a saved plan, or approve the plan at the prompt: zoneform apply",
  },
  "review-not-recorded": {
    cause: "an entry point could not be read after the changes, so its foreign rules do not count as reviewed",
    message: "{zone}: the foreign rules were not recorded as reviewed: {cause}",
    remedy: "look at the plan again, and apply it: zoneform apply asks, and a saved plan records the review too",
  },
  "entry-points-unread": {
    cause: "the token may not read some rulesets of the zone; a rule there may skip ours",
    remedy: "give the token read access to all rulesets of the zone",
  },
  "another-of-this-name": {
    cause:
      "the applied object was deleted, and another one was created with its name; the YAML does not declare it, so it stays live",
    message:
      "{address} is not the applied object: that one was deleted and another was created with its name, which stays live",
    remedy: "declare it to adopt it, or delete it where it was created",
  },
  "expired-hostnames": {
    cause: "Cloudflare deleted custom hostnames by itself: never validated, or moved away for 7 days",
    message: "Cloudflare deleted {count} by itself (never validated, or moved away for 7 days): {names}",
    remedy: "remove the entries, or set custom_hostnames.when_expired: create to create them again",
  },
  "vanished-hostnames": {
    cause:
      "custom hostnames that were last seen moved away or not validated are gone, deleted by Cloudflare or by hand; earlier runs saw too little to tell which",
    message: "{subject} gone, deleted by Cloudflare or by hand (last seen moved away or not validated): {names}",
    remedy: "remove the entries, or set custom_hostnames.when_expired: create to create them again",
  },
  "observations-damaged": {
    cause: "some lines in the record of observed hostnames cannot be read; they are ignored",
    message: "{lines} of the record of hostnames next to {where} cannot be read and {are} ignored",
    remedy: "to remove them: zoneform state repair",
  },
  "observations-unread": {
    cause: "the record of observed hostnames cannot be read; the run continued without it",
    message: "what earlier runs saw of hostnames is not used: {reason}",
    remedy: "nothing to do; at worst, a hostname that Cloudflare deleted is reported as drift",
  },
  "observations-not-kept": {
    cause:
      "drift or status could not record its observations, and an HTTP server cannot keep any; it continued, and the exit code is the same",
    message: "this run's observations were not recorded: {reason}",
    remedy: "let the credential write observations (docs/state.md), or use --no-record",
  },
  "denied-live-value": {
    cause: "a check finds a denied value live; a check only reports, and changes nothing",
    message: "the check {check} finds {count}: {names}",
    remedy: "set another value in a policy; a check only reports",
  },
  "exception-without-hit": {
    cause: "an exception matches no hostname, so it has no effect",
    message: "the exception {name} matches no hostname: {why}",
    remedy: "correct its match, or remove the exception",
  },
  "policy-without-hit": {
    cause: "a policy matches no hostname, so it has no effect",
    message: "the policy {name} matches no hostname: no hostname has {fact}",
    remedy: "correct its match, or remove the policy",
  },
  "exception-unexplained": {
    cause: "an exception lowers min_tls_version below the policies, and does not say why or until when",
    message: "the exception {name} lowers min_tls_version from {from} to {to}, and has {missing}",
    remedy: "add a reason, for example a ticket, and until, its last day: a plan shows both beside the change",
  },
  "exception-ended": {
    cause: "the last day of an exception has passed",
    message: "the exception {name} ended on {day} and is no longer applied",
    remedy: "remove it, or set a later date",
  },
  "forgotten-already": {
    cause: "forget names an object that is not in the state, so it has no effect",
    message: "{address} is not tracked",
    remedy: "remove it from forget",
  },
  "unknown-address": {
    cause: "the object is not declared, not in the state, and not live",
    message: "{address} is not declared, not in the state, and not live in {zone}",
    remedy: "to list what the state has: zoneform state list",
  },
  "more-findings": {
    cause: "there are more findings about uploaded certificates than are shown",
    message: "{count} more findings about uploaded certificates",
    remedy: "correct the ones above first",
  },
} as const;
