/** Keys and values of the YAML that break the schemas. `docs/configuration.md` lists every key. */
export const VALUES = {
  "missing-key": { cause: "a key that is needed is missing", remedy: "add it at the place that the message names" },
  "unknown-key": {
    cause: "the YAML has a key that zoneform does not know there; nothing is ever ignored",
    remedy: "correct the spelling, or remove it",
  },
  "bad-key": {
    cause: "a name that is chosen freely, as of a source, has characters that are not allowed",
    remedy: "use a short name of letters, digits, hyphens and underscores",
  },
  "wrong-type": {
    cause: "a value is of another type than the key takes",
    remedy: "write it as the message says; a text that looks like a number or a switch needs quotes",
  },
  "unknown-value": {
    cause: "a value is none of those that the key takes",
    remedy: "choose one that the message lists",
  },
  "invalid-value": {
    cause: "a value is not allowed for the key",
    remedy: "see the key in the configuration reference",
  },
  "malformed-value": {
    cause: "a value has not the form that the key takes",
    remedy: "write it as in the example of the message",
  },
  "empty-value": {
    cause: "a value is an empty text",
    remedy: "write a value, or remove the key: what is absent is unmanaged",
  },
  "out-of-range": {
    cause: "a number is smaller or larger than allowed",
    remedy: "write a number in the range that the message gives",
  },
  "too-long": { cause: "a text is longer than allowed", remedy: "make it shorter" },
  "too-few": { cause: "a list or a map has fewer entries than are needed", remedy: "add one, or remove the key" },
  "too-many": {
    cause: "a list or a map has more entries than are allowed",
    remedy: "split it up; of a secret, keep either env or file",
  },
  "unstable-fact": {
    cause: "a match looks at something that changes by itself, such as a status",
    remedy: "match on a fact that stays: the hostname, metadata, a label",
  },
  "no-such-date": {
    cause: "a date or a time is none of the calendar",
    remedy: "write a date as in 2027-03-31, a time as in 2027-03-31T08:00:00Z",
  },
  "endpoint-or-credential": {
    cause: "a file of the project names an endpoint or a credential, which would let it choose where tokens are sent",
    remedy: "remove it; use the environment or --api-url",
  },
} as const;
