/** Why a file cannot be read as text or as YAML. Each fault has its place in the file. */
export const YAML = {
  "empty-file": {
    cause: "a YAML file is empty, or has only comments",
    remedy: "write at least version: 1, or delete the file",
  },
  "not-a-map": { cause: "the top of a YAML file is a list or a single value", remedy: "begin it with version: 1" },
  "yaml-syntax": {
    cause: "the file is not valid YAML at that place",
    remedy:
      "check the indentation, the quotes and the brackets there and on the line above; a string with a colon needs quotes",
  },
  "yaml-tab": { cause: "a tab indents a line, which YAML does not allow", remedy: "indent with spaces" },
  "yaml-version": {
    cause: "a %YAML directive asks for another version than 1.2, in which no, on and 1_000 mean something else",
    remedy: "remove the directive",
  },
  "several-documents": { cause: "a second YAML document begins in the file", remedy: "write one document in a file" },
  "unquoted-asterisk": {
    cause: "a value that begins with * has no quotes, so YAML reads it as an alias",
    remedy: "put it in quotes",
  },
  "unknown-anchor": {
    cause: "an alias (*name) has no anchor (&name) above it",
    remedy: "put it in quotes if it is a string, or write the value out",
  },
  "alias-cycle": {
    cause: "an alias is inside its own anchor, so the value would never end",
    remedy: "write the value out",
  },
  "alias-bomb": {
    cause: "aliases repeat so many values that the file could fill the memory",
    remedy: "use a layer or a policy instead of aliases",
  },
  "merge-key": { cause: "merge keys (<<) are not supported", remedy: "write the values out, or use a layer (use:)" },
  "unknown-tag": { cause: "YAML tags (!) are not supported", remedy: "remove the tag" },
  "duplicate-key": {
    cause: "a key is written twice in a map, and only one of the two could count",
    remedy: "keep one of the two",
  },
  "key-not-text": {
    cause: "a key is missing, is not a string, or YAML reads it as a number or another value",
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
    cause: "the file contains a control character, a NUL or half of a character",
    remedy: "remove the character, or the escape that makes it",
  },
  "invalid-utf8": { cause: "the file is not UTF-8", remedy: "save it as UTF-8" },
  "turned-direction": {
    cause: "an invisible character reverses the direction of the text, so what you see is not what is read",
    remedy: "remove it, unless the text is in a language written from right to left",
  },
} as const;
