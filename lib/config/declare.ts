import { type Document, isMap, isSeq, parseDocument, type ParsedNode, type YAMLMap, type YAMLSeq } from "yaml";
import { equal, type Json, type JsonObject } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import { escapeLineEnds, writeYaml } from "./write-yaml.ts";

/**
 * The text of a zone file with one object more declared in it. The new lines are put between the old ones, of which
 * none changes, so that a reviewer sees what was added and nothing else; where that does not work, as inside of `[…]`,
 * the file is written anew with its comments. `values` are what the kind gives for an import (`Kind.declared`).
 */
export function withDeclaration(text: string, kind: Kind, key: string, values: JsonObject): string {
  const document = parseDocument(text);
  const place = placeOf(kind, key);
  const spliced = splice(document, text, place, values);
  declareIn(document, place, values);
  if (spliced !== undefined && isSame(spliced, document)) return spliced;
  const whole = document.toString({ lineWidth: 0 });
  // Where the file has such line ends itself, they may stand where an escape means nothing.
  return escapeLineEnds(text) === text ? escapeLineEnds(whole) : whole;
}

/** Where an object is declared: at a path, or as an item of the list that is there. */
interface Place {
  readonly path: readonly [section: string, ...inside: string[]];
  readonly isItem: boolean;
  /** What stands in the section besides, where it is new. */
  readonly beside: JsonObject;
}

function placeOf({ section }: Kind, key: string): Place {
  if (!section) return { path: ["custom_hostnames", "entries"], isItem: true, beside: { lifecycle: "zoneform" } };
  const path = section.shape === "map" ? ([section.key, key] as const) : ([section.key] as const);
  return { path, isItem: section.shape === "list", beside: {} };
}

/** A key with nothing behind it counts as not there. */
function declareIn(document: Document, { path, isItem, beside }: Place, values: JsonObject): void {
  const [section, ...inside] = path;
  if (inside.length > 0 && !isMap(document.getIn([section]))) document.setIn([section], nodeOf(beside));
  if (isItem && isSeq(document.getIn(path))) document.addIn(path, nodeOf(values));
  else document.setIn(path, nodeOf(isItem ? [values] : values));
}

/** A value with the quotes that `writeYaml` gives it. */
function nodeOf(value: Json): ParsedNode | null {
  return parseDocument(writeYaml(value)).contents;
}

/** Whether a text says what the document says; whatever the splicing did not foresee ends here. */
function isSame(text: string, document: Document): boolean {
  const parsed = parseDocument(text);
  const [left, right]: [Json, Json] = [parsed.toJS(), document.toJS()];
  return parsed.errors.length === 0 && equal(left, right);
}

/** Adds to the deepest list or map on the path that is there; what is missing of the path comes with it. */
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

/** The text with a member or an item more, on lines of its own behind the last one; undefined where there is no line for it. */
function afterLast(text: string, collection: YAMLMap | YAMLSeq, added: Json): string | undefined {
  const [start, end] = collection.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  if (collection.items.length === 0) return insteadOfEmpty(text, { start, end }, added);
  if (collection.flow === true) return undefined;
  const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
  const lines = writeYaml(added).trimEnd().split("\n");
  // Sections of a file stand apart, members and items do not.
  const block = (indent === "" ? "\n" : "") + lines.map((line) => `${indent}${line}\n`).join("");
  const at = lineEnd(text, end);
  const gap = at > 0 && text[at - 1] !== "\n" ? "\n" : "";
  return `${text.slice(0, at)}${gap}${block}${text.slice(at)}`;
}

/** The text with a block in the place of an empty `[]` or `{}` that stands behind its key; what follows it on the line stays there. */
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

/** Behind the line on which this offset is; the offset itself where it is at the start of one. */
function lineEnd(text: string, offset: number): number {
  if (offset === 0 || text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}
