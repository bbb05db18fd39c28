/** Keys and values of the YAML that break the schemas. `docs/configuration.md` lists every key. */
export const VALUES = {
  "missing-key": { cause: "a required key is missing", remedy: "add it at the place that the message names" },
  "unknown-key": {
    cause: "the YAML has a key that Zoneform does not know there; no key is ignored",
    remedy: "correct the spelling, or remove it",
  },
  "bad-key": {
    cause: "a name of your own, such as that of a source, has characters that are not allowed",
    remedy: "use letters, digits, hyphens and underscores",
  },
  "wrong-type": {
    cause: "a value has the wrong type, for example a number where the key takes a string",
    remedy: "write it as the message says; a string that looks like a number or a boolean needs quotes",
  },
  "unknown-value": {
    cause: "the key does not take this value",
    remedy: "use one of the values that the message lists",
  },
  "invalid-value": {
    cause: "a value is not allowed for the key",
    remedy: "look the key up in docs/configuration.md",
  },
  "malformed-value": {
    cause: "a value has the wrong format",
    remedy: "write it like the example in the message",
  },
  "empty-value": {
    cause: "a value is an empty string",
    remedy: "write a value, or remove the key to leave the field unmanaged",
  },
  "wrong-length": {
    cause: "a value has more or fewer characters than it must have, such as a zone id with 31 digits",
    remedy: "copy the value again; a zone id is on the zone's overview page",
  },
  "out-of-range": {
    cause: "a number is smaller or larger than allowed",
    remedy: "write a number in the range that the message names",
  },
  "too-long": { cause: "a string is longer than allowed", remedy: "make it shorter" },
  "too-few": { cause: "a list or a map is empty, or has too few entries", remedy: "add one, or remove the key" },
  "too-many": {
    cause: "a list or a map has more entries than are allowed",
    remedy: "split it up; in a reference to a secret, keep either env or file",
  },
  "unstable-fact": {
    cause: "a match looks at something that changes by itself, such as a status",
    remedy: "match on a fact that does not change by itself: the hostname, metadata, a label",
  },
  "no-such-date": {
    cause: "a date or a time does not exist",
    remedy: "write a date like 2027-03-31, a time like 2027-03-31T08:00:00Z",
  },
  "endpoint-or-credential": {
    cause: "a project file sets an endpoint or a credential; this would let a file choose where tokens are sent",
    remedy: "remove it, and use the environment or --api-url",
  },
} as const;
