/** Why a file cannot be read as text or as YAML. Each fault has its place in the file. */
export const YAML = {
  "empty-file": {
    cause: "a YAML file is empty, or has nothing but comments",
    remedy: "write at least version: 1, or remove the file",
  },
  "not-a-map": { cause: "the top of a YAML file is a list or a single value", remedy: "begin it with version: 1" },
  "yaml-syntax": {
    cause: "the file is not valid YAML at that place",
    remedy: "mend it there or on the line above; a text with a colon or a special character needs quotes",
  },
  "yaml-tab": { cause: "a tab indents a line, which YAML does not allow", remedy: "indent with spaces" },
  "yaml-version": {
    cause: "a %YAML directive asks for another version than 1.2, in which no, on and 1_000 mean something else",
    remedy: "remove the directive",
  },
  "several-documents": { cause: "a second YAML document begins in the file", remedy: "write one document in a file" },
  "unquoted-asterisk": {
    cause: "an unquoted * begins an alias in YAML, and a pattern was meant",
    remedy: "put it in quotes",
  },
  "unknown-anchor": {
    cause: "an unquoted * begins an alias, and no anchor has its name",
    remedy: "put it in quotes if it is a text, or write the value out",
  },
  "alias-cycle": {
    cause: "an alias stands inside of its own anchor, so the value would never end",
    remedy: "write the value out",
  },
  "alias-bomb": {
    cause: "aliases repeat so many values that the file could fill the memory",
    remedy: "write the values out, or use a layer or a policy",
  },
  "merge-key": { cause: "merge keys (<<) are not supported", remedy: "write the values out, or use a layer (use:)" },
  "unknown-tag": { cause: "a YAML tag (!) is not known", remedy: "write the value without the tag" },
  "duplicate-key": {
    cause: "a key stands twice in a map; only one of the two could hold",
    remedy: "keep one of the two",
  },
  "key-not-text": {
    cause: "a key is missing, is no text, or is one that YAML reads as a number or another value",
    remedy: "put the key in quotes",
  },
  "unquoted-id": {
    cause: "YAML reads an unquoted value as a number and would change it",
    remedy: "put the value in quotes",
  },
  "forbidden-key": {
    cause: "a key has a name that JavaScript treats specially, such as __proto__",
    remedy: "choose another name",
  },
  "nested-too-deep": {
    cause: "the file is nested deeper than any configuration needs",
    remedy: "look for a bracket that is not closed",
  },
  "control-character": {
    cause: "the file has a control character, a NUL or half of a character",
    remedy: "remove the character, or the escape that makes it",
  },
  "invalid-utf8": { cause: "the file is not valid UTF-8", remedy: "save it as UTF-8" },
  "turned-direction": {
    cause: "a character turns the direction of writing, so that what is shown is not what is read",
    remedy: "look at the line in an editor that shows hidden characters, and remove it where nobody needs it",
  },
} as const;
