/** What a look at live finds: in a plan, in drift, in a status. */
export const FINDINGS = {
  "no-state": {
    cause: "nothing says what was applied last in the zone: there is no state of it here",
    remedy:
      "run it where the state is kept, or apply first; zoneform drift --against config compares with the YAML alone",
  },
  "not-looked-at": {
    cause: "what a zone before it met (a credential, the network) would meet this one as well",
    remedy: "see what is said of that zone",
  },
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
  "vanished-hostnames": {
    cause:
      "custom hostnames are gone that were moved or not validated when last seen; the service or somebody deleted them",
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
  "exception-without-hit": {
    cause: "an exception matches no hostname, so what it is meant for is not protected by it",
    remedy: "correct its match, or remove the exception",
  },
  "exception-ended": {
    cause: "an exception has ended",
    remedy: "remove it, or set a later date",
  },
  "forgotten-already": {
    cause: "forget names an object that the state does not track, so it has no effect",
    remedy: "remove the address from forget",
  },
  "unknown-address": {
    cause: "the address is not declared, not in the state and not live",
    remedy: "to see the addresses in the state: zoneform state list",
  },
  "more-findings": {
    cause: "there are more remarks about uploaded certificates than are shown",
    remedy: "fix the ones above first",
  },
} as const;
