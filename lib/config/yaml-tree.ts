import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import { type Diagnostic, error, formatPosition, type Position } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import type { MapEntry, Node, ScalarNode } from "./node.ts";

/** Values that may be made by repeating anchors, in one file: more is an alias bomb. */
const MOST_REPEATED = 100_000;
/** Keys that reach into the prototype of an object, here or in whatever reads our output. */
export const PROTOTYPE_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];
/** Tags that the YAML library knows beyond the core schema: their values are none of JSON's. */
const OTHER_TAGS: ReadonlySet<string> = new Set(
  ["binary", "merge", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`),
);
/** What no text of ours may hold: NUL, which ends texts elsewhere, and half of a character, which no encoding can write. */
// eslint-disable-next-line no-control-regex -- NUL is what is looked for
const NO_TEXT = /\0|\p{Surrogate}/u;

/** Turns a YAML document into a tree of ours, and finds what must not be written. */
export function yamlTree(
  document: Document.Parsed,
  place: (offset: number) => Position,
): { node: Node | undefined; diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const anchors = new Map<string, ParsedNode>();
  const open = new Set<ParsedNode>();
  let repeated = 0;
  let aliasDepth = 0;

  const report = (code: DiagnosticCode, message: string, remedy: string, at: Position): undefined => {
    diagnostics.push(error({ code, message, remedy, at }));
  };

  const convert = (source: ParsedNode): Node | undefined => {
    const at = place(source.range[0]);
    if (OTHER_TAGS.has(source.tag ?? "")) return unknownTag(at) ?? gap(at);
    if (isAlias(source)) return followAlias(source.source, at) ?? gap(at);
    if (aliasDepth > 0) repeated += 1;
    if (repeated > MOST_REPEATED) return undefined;
    if (source.anchor !== undefined) anchors.set(source.anchor, source);
    open.add(source);
    // What must not be written leaves a gap, so that nobody is told that something is missing there.
    const node = convertValue(source, at) ?? gap(at);
    open.delete(source);
    return node;
  };

  const unknownTag = (at: Position): undefined =>
    report("unknown-tag", "a tag (!) of this kind is not known", "write the value without a tag", at);

  const followAlias = (name: string, at: Position): Node | undefined => {
    const target = anchors.get(name);
    if (!target) {
      return report(
        name.startsWith(".") ? "unquoted-asterisk" : "unknown-anchor",
        `an unquoted * begins an alias, and no anchor is named ${JSON.stringify(name)}`,
        `put it in quotes: ${JSON.stringify(`*${name}`)}`,
        at,
      );
    }
    if (open.has(target)) {
      return report("alias-cycle", `the alias *${name} stands inside of its own anchor`, "write the value out", at);
    }
    if (repeated > MOST_REPEATED) return undefined;
    aliasDepth += 1;
    const node = convert(target);
    aliasDepth -= 1;
    if (repeated > MOST_REPEATED && aliasDepth === 0) {
      return report("alias-bomb", `aliases repeat more than ${MOST_REPEATED} values`, "write the values out", at);
    }
    return node;
  };

  const convertValue = (source: ParsedNode, at: Position): Node | undefined => {
    if (isScalar(source)) return convertScalar(source, at, report);
    if (isMap(source)) return { kind: "map", entries: convertEntries(source), at };
    if (!isSeq(source)) return undefined;
    const items = source.items.flatMap((item) => (isPair(item) ? [] : (convert(item) ?? [])));
    return { kind: "list", items, at };
  };

  const convertEntries = (map: YAMLMap.Parsed): ReadonlyMap<string, MapEntry> => {
    const entries = new Map<string, MapEntry>();
    const seen = new Map<string, Position>();
    for (const pair of map.items) {
      const keyAt = place(pair.key.range[0]);
      const key = keyOf(pair.key, keyAt, report);
      // Two spellings of one letter (é as one character, or as e and an accent) look the same, and are the same key.
      const first = key === undefined ? undefined : seen.get(key.normalize("NFC"));
      if (first && key !== undefined) duplicateKey(key, first, keyAt, report);
      const value = pair.value === null ? nothing(keyAt) : convert(pair.value);
      if (key === undefined || first || !value) continue;
      seen.set(key.normalize("NFC"), keyAt);
      entries.set(key, { keyAt, value: isEmpty(value) ? nothing(keyAt) : value });
    }
    return entries;
  };

  // Unknown tags only warn in the YAML library, and the value is then read as if it had none.
  for (const { code, pos } of document.warnings) {
    if (code !== "TAG_RESOLVE_FAILED") continue;
    unknownTag(place(pos[0]));
  }
  return { node: document.contents === null ? undefined : convert(document.contents), diagnostics };
}

type Report = (code: DiagnosticCode, message: string, remedy: string, at: Position) => undefined;

function convertScalar(source: Scalar.Parsed, at: Position, report: Report): ScalarNode | undefined {
  const { value } = source;
  const written = source.source;
  if (typeof value === "number" || typeof value === "bigint") {
    if (isLossy(Number(value), written)) {
      return report(
        "unquoted-id",
        `YAML reads ${written} as a number and would change it`,
        `put it in quotes: ${JSON.stringify(written)}`,
        at,
      );
    }
    return { kind: "scalar", value: Number(value), at, written };
  }
  if (typeof value === "string") {
    if (NO_TEXT.test(value)) return noText(at, report);
    if (!/-----BEGIN [A-Z ]*PRIVATE KEY/.test(value)) return { kind: "scalar", value, at };
    return report(
      "literal-secret",
      "a private key stands here in the clear",
      "write { env: NAME } or { file: PATH } instead, and replace the key: it has been in a file",
      at,
    );
  }
  return { kind: "scalar", value: typeof value === "boolean" ? value : null, at, written };
}

function noText(at: Position, report: Report): undefined {
  return report(
    "control-character",
    "the text has a NUL character or half of a character in it",
    "remove the escape that makes it",
    at,
  );
}

/** An id of digits, or with a single e, is a number to YAML: it loses digits, or becomes infinite. */
function isLossy(value: number, written: string): boolean {
  return (
    /^[0-9a-f]{32}$/i.test(written) ||
    !Number.isFinite(value) ||
    (Number.isInteger(value) && !Number.isSafeInteger(value))
  );
}

function keyOf(key: ParsedNode, at: Position, report: Report): string | undefined {
  if (!isScalar(key)) {
    return report(
      "key-not-text",
      "a key must be a text",
      "write a plain word, or a text in quotes, before the colon",
      at,
    );
  }
  if (typeof key.value !== "string") {
    const written = key.source;
    if (written === "") return report("key-not-text", "a key is missing before the colon", "write the key", at);
    return report(
      "key-not-text",
      `YAML does not read the key ${written} as a text`,
      `put it in quotes: ${JSON.stringify(written)}`,
      at,
    );
  }
  if (key.value === "<<" && key.type === Scalar.PLAIN) {
    return report("merge-key", "merge keys (<<) are not supported", "write the values out, or use a layer (use:)", at);
  }
  if (NO_TEXT.test(key.value)) return noText(at, report);
  if (!PROTOTYPE_KEYS.includes(key.value)) return key.value;
  return report("forbidden-key", `the key ${key.value} is not allowed anywhere`, "choose another name", at);
}

function duplicateKey(key: string, first: Position, second: Position, report: Report): void {
  report(
    "duplicate-key",
    `the key ${JSON.stringify(key)} stands here again, first at ${formatPosition(first)}`,
    "keep one of the two",
    second,
  );
}

function gap(at: Position): ScalarNode {
  return { kind: "scalar", value: null, at };
}

/** A key without a value: the place to show is the key. */
function nothing(at: Position): ScalarNode {
  return { kind: "scalar", value: null, at, written: "" };
}

function isEmpty(node: Node): boolean {
  return node.kind === "scalar" && node.value === null && node.written === "";
}
