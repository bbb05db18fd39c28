/** Why a file cannot be read as text or as YAML. Each fault has its place in the file. */
export const YAML = {
  "empty-file": {
    cause: "a YAML file is empty, or has only comments",
    message: "the file is empty, or has only comments",
    remedy: "write at least version: 1, or delete the file",
  },
  "not-a-map": {
    cause: "the top of a YAML file is a list or a single value",
    remedy: "begin with version: 1",
  },
  "yaml-syntax": {
    cause: "the file is not valid YAML at that place",
    remedy:
      "check the indentation, the quotes and the brackets there and on the line above; a string with a colon needs quotes",
  },
  "yaml-tab": {
    cause: "a tab indents a line, which YAML does not allow",
    message: "this line is indented with a tab",
    remedy: "replace the tab with spaces: YAML allows no tabs here",
  },
  "yaml-version": {
    cause: "a %YAML directive asks for another version than 1.2, in which no, on and 1_000 mean something else",
    message: "this file asks for a YAML version other than 1.2",
    remedy: "remove the %YAML line: older versions read no, on and 1_000 as something else",
  },
  "several-documents": {
    cause: "a second YAML document begins in the file",
    message: "a second YAML document begins here",
    remedy: "move it to a file of its own: each file holds one zone",
  },
  "unquoted-asterisk": {
    cause: "a value that begins with * has no quotes, so YAML reads it as an alias",
    message: "a value that begins with * must be in quotes",
    remedy: "put it in quotes: {value}",
  },
  "unknown-anchor": {
    cause: "an alias (*name) has no anchor (&name) above it",
    message: "there is no anchor &{name} for this alias above it",
    remedy: "if it is no alias, put it in quotes: {value}",
  },
  "alias-cycle": {
    cause: "an alias is inside its own anchor, so the value would never end",
    message: "the alias *{name} is inside its own anchor &{name}",
    remedy: "write the value out",
  },
  "alias-bomb": {
    cause: "aliases repeat so many values that the file could fill the memory",
    message: "the aliases of this file repeat more than {most} values",
    remedy: "use a policy or a layer (use:) instead of aliases",
  },
  "merge-key": {
    cause: "merge keys (<<) are not supported",
    message: "merge keys (<<) are not supported",
    remedy: "write the values out, or share them with a layer (use:)",
  },
  "unknown-tag": {
    cause: "YAML tags (!) are not supported",
    message: "YAML tags (!) are not supported",
    remedy: "remove the tag, or put the value in quotes if the ! belongs to it",
  },
  "duplicate-key": {
    cause: "a key is written twice in a map, and only one of the two could count",
    message: "the key {name} is written twice{first}",
    remedy: "keep one of the two, or merge them",
  },
  "key-not-text": {
    cause: "a key is missing, is not a string, or YAML reads it as a number or another value",
    remedy: "put the key in quotes",
  },
  "unquoted-id": {
    cause: "YAML reads an unquoted value as a number and would change it",
    message: "YAML reads {written} as a number and would change its digits",
    remedy: "put it in quotes: {value}",
  },
  "forbidden-key": {
    cause: "a key has a name that JavaScript treats specially, such as __proto__",
    message: "the key {name} is not allowed",
    remedy: "choose another name",
  },
  "nested-too-deep": {
    cause: "the file is nested deeper than any configuration needs",
    message: "this is nested deeper than {most} levels",
    remedy: "check for a bracket that is not closed: no configuration is that deep",
  },
  "control-character": {
    cause: "the file contains a control character, a NUL or half of a character",
    remedy: "remove the character",
  },
  "invalid-utf8": {
    cause: "the file is not UTF-8",
    message: "the file is not UTF-8",
    remedy: "save it as UTF-8; spreadsheets call it CSV UTF-8",
  },
  "turned-direction": {
    cause: "an invisible character reverses the direction of the text, so what you see is not what is read",
    message: "an invisible character reverses the text from here: what you see is not what is read",
    remedy:
      "remove the character, unless the text is in a language written from right to left; some editors can show it",
  },
} as const;

/** Keys and values of the YAML that break the schemas. `docs/configuration.md` lists every key. */
export const VALUES = {
  "missing-key": { cause: "a required key is missing", remedy: "add it at the place that the message names" },
  "unknown-key": {
    cause: "the YAML has a key that Zoneform does not know there; no key is ignored",
    remedy: "correct the spelling, or remove it",
  },
  "unknown-parameter": {
    cause:
      "an action has a parameter that this Zoneform does not know; it is sent as it is, for Cloudflare may be newer",
    remedy: "check its spelling; Cloudflare refuses a parameter that it does not know either",
  },
  "bad-key": {
    cause: "a name of your own, such as that of a source, has characters that are not allowed",
    message: "{key} cannot be a name in {thing}",
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
    message: "match cannot use {key}: it changes by itself, so the same YAML would match other hostnames tomorrow",
    remedy: "match on one of: {facts}",
  },
  "no-such-date": {
    cause: "a date or a time does not exist",
    remedy: "for example: 2027-03-31",
  },
  "endpoint-or-credential": {
    cause: "a project file sets an endpoint or a credential; this would let a file choose where tokens are sent",
    message: "{key} names an endpoint or a credential, which no file of a project may set",
    remedy: "remove it, and use the environment or --api-url",
  },
} as const;
