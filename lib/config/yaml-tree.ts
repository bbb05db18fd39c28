import { type DiagnosticDetails, error, formatPosition, type Position, problem } from "../core/diagnostic.ts";
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import { listOf, Located, LocatedText, mapOf, type Place } from "./document.ts";
import type { Report } from "./report.ts";
import { scalarOffsets } from "./scalar-offsets.ts";

/** How many values the anchors of one file may repeat; more is an alias bomb. */
const MOST_REPEATED = 100_000;
/** Keys that reach the prototype of an object, here or in a reader of our output. */
export const PROTOTYPE_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];
/** Tags beyond the core schema that the YAML library knows; their values have no equivalent in JSON. */
const OTHER_TAGS: ReadonlySet<string> = new Set(
  ["binary", "merge", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`),
);
/**
 * Characters that no text may contain: NUL, which ends texts elsewhere, and half a character, which cannot be encoded.
 */
// eslint-disable-next-line no-control-regex -- NUL is what is looked for
const NO_TEXT = /\0|\p{Surrogate}/u;

/** Keys whose strings are expressions. Problems in them have positions inside of the string. */
const EXPRESSION = /(?:^|_)expression$/;

/**
 * Converts a YAML document into JSON in which everything has a position, and reports forbidden features. `text` is the
 * text of the file.
 */
export function yamlTree(document: Document.Parsed, text: string, place: Place, told: Report): Located | undefined {
  const anchors = new Map<string, ParsedNode>();
  const open = new Set<ParsedNode>();
  let repeated = 0;
  let aliasDepth = 0;

  const report: Say = (found, start) => told(error({ ...found, at: place(start) }));

  const convert = (source: ParsedNode, keyStart?: number, key?: string): Located | undefined => {
    const [start] = source.range;
    // A removed part leaves a gap, so that no error reports it as missing.
    const gap = (): Located => new Located(null, place, start, keyStart);
    if (OTHER_TAGS.has(source.tag ?? "")) return unknownTag(start) ?? gap();
    if (isAlias(source)) return followAlias(source.source, start, keyStart, key) ?? gap();
    if (aliasDepth > 0) repeated += 1;
    if (repeated > MOST_REPEATED) return undefined;
    if (source.anchor !== undefined) anchors.set(source.anchor, source);
    open.add(source);
    const converted = convertValue(source, keyStart, key) ?? gap();
    open.delete(source);
    return converted;
  };

  const unknownTag = (start: number): undefined => report(problem("unknown-tag", {}), start);

  const followAlias = (name: string, start: number, keyStart?: number, key?: string): Located | undefined => {
    const target = anchors.get(name);
    if (!target) {
      const value = JSON.stringify(`*${name}`);
      const isWildcard = name.startsWith(".");
      return report(
        isWildcard ? problem("unquoted-asterisk", { value }) : problem("unknown-anchor", { name, value }),
        start,
      );
    }
    if (open.has(target)) return report(problem("alias-cycle", { name }), start);
    if (repeated > MOST_REPEATED) return undefined;
    aliasDepth += 1;
    const converted = convert(target, keyStart, key);
    aliasDepth -= 1;
    if (repeated > MOST_REPEATED && aliasDepth === 0)
      return report(problem("alias-bomb", { most: MOST_REPEATED }), start);
    return converted;
  };

  const convertValue = (source: ParsedNode, keyStart?: number, key?: string): Located | undefined => {
    const [start, end] = source.range;
    if (isScalar(source)) {
      const scalar = convertScalar(source, place, keyStart, report);
      if (key === undefined || !EXPRESSION.test(key) || typeof scalar?.value !== "string") return scalar;
      const offsets = scalarOffsets(scalar.value, source.type, text.slice(start, end), start);
      return new LocatedText(scalar.value, place, start, keyStart, offsets);
    }
    if (isMap(source)) return new Located(mapOf(convertEntries(source), place(start)), place, start, keyStart);
    if (!isSeq(source)) return undefined;
    const items = source.items.flatMap((item) => (isPair(item) ? [] : (convert(item) ?? [])));
    return new Located(listOf(items, place(start)), place, start, keyStart);
  };

  /** A key without a value is shown at the key. */
  const nothing = (keyStart: number): Located => new Located(null, place, keyStart, keyStart, "");

  const convertEntries = (map: YAMLMap.Parsed): readonly (readonly [string, Located])[] => {
    const entries: (readonly [string, Located])[] = [];
    const seen = new Map<string, number>();
    for (const pair of map.items) {
      const [keyStart] = pair.key.range;
      const key = keyOf(pair.key, report);
      // Two spellings of one letter (é as one character, or as e and an accent) look the same, and count as the same
      // key.
      const first = key === undefined ? undefined : seen.get(key.normalize("NFC"));
      if (first !== undefined && key !== undefined) duplicateKey(key, place(first), keyStart, report);
      const value = pair.value === null ? nothing(keyStart) : convert(pair.value, keyStart, key);
      if (key === undefined || first !== undefined || !value) continue;
      seen.set(key.normalize("NFC"), keyStart);
      entries.push([key, isEmpty(value) ? nothing(keyStart) : value]);
    }
    return entries;
  };

  // The YAML library only warns about unknown tags, and reads the value as if it had none.
  for (const { code, pos } of document.warnings) {
    if (code !== "TAG_RESOLVE_FAILED") continue;
    unknownTag(pos[0]);
  }
  return document.contents === null ? undefined : convert(document.contents);
}

type Say = (found: DiagnosticDetails, start: number) => undefined;

function convertScalar(
  source: Scalar.Parsed,
  place: Place,
  keyStart: number | undefined,
  report: Say,
): Located | undefined {
  const { value, source: written } = source;
  const [start] = source.range;
  if (typeof value === "number" || typeof value === "bigint") {
    if (isLossy(Number(value), written)) {
      return report(problem("unquoted-id", { written, value: JSON.stringify(written) }), start);
    }
    return new Located(Number(value), place, start, keyStart, written);
  }
  if (typeof value === "string") {
    if (NO_TEXT.test(value)) return noText(start, report);
    if (!/-----BEGIN [A-Z ]*PRIVATE KEY/.test(value)) return new Located(value, place, start, keyStart);
    return report(problem("literal-secret", { message: "a private key is here in clear text" }), start);
  }
  return new Located(typeof value === "boolean" ? value : null, place, start, keyStart, written);
}

function noText(start: number, report: Say): undefined {
  const message = "this string contains a NUL character or half of a character";
  return report({ code: "control-character", message, remedy: "remove the escape (\\0, \\u…) that makes it" }, start);
}

/** YAML reads an id of digits, possibly with one e, as a number: it loses digits or becomes infinite. */
function isLossy(value: number, written: string): boolean {
  return (
    /^[0-9a-f]{32}$/i.test(written) ||
    !Number.isFinite(value) ||
    (Number.isInteger(value) && !Number.isSafeInteger(value))
  );
}

function keyOf(key: ParsedNode, report: Say): string | undefined {
  const [start] = key.range;
  const notText = (message: string, remedy: string): undefined =>
    report({ code: "key-not-text", message, remedy }, start);
  if (!isScalar(key)) {
    return notText(
      "a key must be a string, not a list or a map",
      "write a word before the colon; put a value that begins with { or [ in quotes",
    );
  }
  if (typeof key.value !== "string") {
    const written = key.source;
    if (written === "") return notText("there is no key before the colon", "write the key");
    return notText(`YAML does not read the key ${written} as a string`, `put it in quotes: ${JSON.stringify(written)}`);
  }
  if (key.value === "<<" && key.type === Scalar.PLAIN) return report(problem("merge-key", {}), start);
  if (NO_TEXT.test(key.value)) return noText(start, report);
  if (!PROTOTYPE_KEYS.includes(key.value)) return key.value;
  return report(problem("forbidden-key", { name: key.value }), start);
}

function duplicateKey(key: string, first: Position, second: number, report: Say): void {
  const values = { name: JSON.stringify(key), first: `, first at ${formatPosition(first)}` };
  report(problem("duplicate-key", values), second);
}

function isEmpty({ value, written }: Located): boolean {
  return value === null && written === "";
}
