import { type Document, isMap, isSeq, parseDocument, type ParsedNode, type YAMLMap, type YAMLSeq } from "yaml";
import { equal, type Json, type JsonObject } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import { escapeLineEnds, writeYaml } from "./write-yaml.ts";

/**
 * The text of a zone file with one more object declared. New lines go between the old ones, which do not change, so
 * that the diff shows only what was added. If that is impossible, as inside `[…]`, the file is written again with its
 * comments. `values` are the object's declared values (`Kind.declared`).
 */
export function withDeclaration(text: string, kind: Kind, key: string, values: JsonObject): string {
  const document = parseDocument(text);
  const place = placeOf(kind, key);
  const spliced = splice(document, text, place, values);
  declareIn(document, place, values);
  if (spliced !== undefined && isSame(spliced, document)) return spliced;
  const whole = document.toString({ lineWidth: 0 });
  // If the file itself has such line ends, they may be in places where an escape has no meaning.
  return escapeLineEnds(text) === text ? escapeLineEnds(whole) : whole;
}

/** Where to declare an object: at a path, or as an item of an existing list. */
interface Place {
  readonly path: readonly [section: string, ...inside: string[]];
  readonly isItem: boolean;
  /** Other keys that a new section needs. */
  readonly beside: JsonObject;
}

function placeOf({ section }: Kind, key: string): Place {
  if (!section) return { path: ["custom_hostnames", "entries"], isItem: true, beside: { lifecycle: "zoneform" } };
  const path = section.shape === "map" ? ([section.key, key] as const) : ([section.key] as const);
  return { path, isItem: section.shape === "list", beside: {} };
}

/** A key without a value counts as missing. */
function declareIn(document: Document, { path, isItem, beside }: Place, values: JsonObject): void {
  const [section, ...inside] = path;
  if (inside.length > 0 && !isMap(document.getIn([section]))) document.setIn([section], nodeOf(beside));
  if (isItem && isSeq(document.getIn(path))) document.addIn(path, nodeOf(values));
  else document.setIn(path, nodeOf(isItem ? [values] : values));
}

/** A value with the quotes that `writeYaml` uses. */
function nodeOf(value: Json): ParsedNode | null {
  return parseDocument(writeYaml(value)).contents;
}

/** Whether a text means the same as the document. This catches everything that the splicing did not foresee. */
function isSame(text: string, document: Document): boolean {
  const parsed = parseDocument(text);
  const [left, right]: [Json, Json] = [parsed.toJS(), document.toJS()];
  return parsed.errors.length === 0 && equal(left, right);
}

/** Adds to the deepest existing list or map on the path, with the missing part of the path. */
function splice(
  document: Document,
  text: string,
  { path, isItem, beside }: Place,
  values: JsonObject,
): string | undefined {
  const list = document.getIn(path);
  if (isItem && isSeq(list)) return afterLast(text, list, [values]);
  const value = isItem ? [values] : values;
  const [section, inside] = path;
  const outer = document.getIn([section]);
  if (inside !== undefined && isMap(outer)) return afterLast(text, outer, { [inside]: value });
  const nested = inside === undefined ? value : { ...beside, [inside]: value };
  return isMap(document.contents) ? afterLast(text, document.contents, { [section]: nested }) : undefined;
}

/** The text with one more member or item, on new lines after the last one; undefined if they cannot go there. */
function afterLast(text: string, collection: YAMLMap | YAMLSeq, added: Json): string | undefined {
  const [start, end] = collection.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  if (collection.items.length === 0) return insteadOfEmpty(text, { start, end }, added);
  if (collection.flow === true) return undefined;
  const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
  const lines = writeYaml(added).trimEnd().split("\n");
  // Blank lines separate the sections of a file, but not members and items.
  const block = (indent === "" ? "\n" : "") + lines.map((line) => `${indent}${line}\n`).join("");
  const at = lineEnd(text, end);
  const gap = at > 0 && text[at - 1] !== "\n" ? "\n" : "";
  return `${text.slice(0, at)}${gap}${block}${text.slice(at)}`;
}

/** The text with a block in place of an empty `[]` or `{}` after its key; what follows on that line stays. */
function insteadOfEmpty(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  added: Json,
): string {
  const keyLine = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const indent = `${/^ */.exec(keyLine)?.[0] ?? ""}  `;
  const at = lineEnd(text, end);
  const rest = text.slice(end, at).trimEnd();
  const lines = writeYaml(added).trimEnd().split("\n");
  const block = lines.map((line) => `${indent}${line}\n`).join("");
  return `${text.slice(0, start).trimEnd()}${rest}\n${block}${text.slice(at)}`;
}

/** The start of the line after the one with this offset, or the offset itself if it starts a line. */
function lineEnd(text: string, offset: number): number {
  if (offset === 0 || text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}
