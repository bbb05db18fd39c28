import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { equal, isList, isObject, type Json } from "../core/json.ts";
import type { Position } from "../core/diagnostic.ts";
import type { Steps } from "./document.ts";
import { escapeLineEnds, inlineYaml, writeYaml } from "./write-yaml.ts";

/** One change to a file. Paths and indexes are those of the file before any change. */
export type YamlEdit =
  /** Sets a value; missing maps on the way are made. */
  | { readonly what: "set"; readonly path: Steps; readonly value: Json }
  /** Removes a key, and the map around it if that was its only one. */
  | { readonly what: "remove"; readonly path: Steps }
  /** Adds items to a list; a missing list is made. */
  | { readonly what: "append"; readonly path: Steps; readonly items: readonly Json[] }
  /** Keeps these items of a list, by index, in this order, with new ones between them. */
  | { readonly what: "arrange"; readonly path: Steps; readonly items: readonly Arranged[] };

/** An item that the list has, by its index, or a new one. */
export type Arranged = number | { readonly added: Json };

/**
 * A YAML file that can be changed in single places. Everything else stays byte for byte: comments, quotes, anchors and
 * order.
 */
export class EditableYaml {
  private readonly text: string;
  private readonly document: Document;
  private readonly json: Json;
  private readonly lines: LineCounter = new LineCounter();
  /** The anchors that aliases use. */
  private readonly used = new Set<string>();
  /** What `indexAt` has looked up, by list and part, then by position. */
  private readonly indexes = new Map<string, ReadonlyMap<string, number>>();

  constructor(text: string) {
    this.text = text;
    this.document = parseDocument(text, { lineCounter: this.lines });
    this.json = jsonOf(this.document);
    visit(this.document, { Alias: (_key, alias) => void this.used.add(alias.source) });
  }

  /** The value at a path, with its anchors followed; undefined if there is none. */
  valueAt(path: Steps): Json | undefined {
    return stepInto(this.json, path);
  }

  /** The index of the item of a list of which one part begins at a position; undefined for none. */
  indexAt(list: Steps, part: Steps, { line, column }: Pick<Position, "line" | "column">): number | undefined {
    const key = JSON.stringify([list, part]);
    const known = this.indexes.get(key) ?? this.indexesBy(list, part);
    this.indexes.set(key, known);
    return known.get(`${line}:${column}`);
  }

  private indexesBy(list: Steps, part: Steps): ReadonlyMap<string, number> {
    const found = nodesTo(this.document.contents, list).at(-1);
    const items = isSeq(found) ? found.items : [];
    const places = items.flatMap((item, index): [string, number][] => {
      const nodes = nodesTo(item, part);
      const start = nodes.length === part.length + 1 ? nodes.at(-1)?.range?.[0] : undefined;
      if (start === undefined) return [];
      const { line, col } = this.lines.linePos(start);
      return [[`${line}:${col}`, index]];
    });
    return new Map(places);
  }

  /** Whether the value at a path, or what is there of the path, can be changed without changing another place too. */
  isAlone(path: Steps): boolean {
    const nodes = nodesTo(this.document.contents, path);
    const isUsed = (node: Node): boolean =>
      (isScalar(node) || isCollection(node)) && node.anchor !== undefined && this.used.has(node.anchor);
    const isInAlias = nodes.slice(0, -1).some(isAlias) || (nodes.length < path.length + 1 && isAlias(nodes.at(-1)));
    return !isInAlias && !nodes.some(isUsed);
  }

  /** The text with these changes; undefined if they cannot be made without changing another place too. */
  edited(edits: readonly YamlEdit[]): string | undefined {
    const wanted = edits.reduce<Json>((value, edit) => changed(value, edit), this.json);
    const isWanted = (text: string | undefined): text is string => text !== undefined && means(text, wanted);
    const spliced = this.spliced(edits);
    if (isWanted(spliced)) return spliced;
    const whole = edits.every(({ path }) => this.isAlone(path)) ? this.whole(edits) : undefined;
    return isWanted(whole) ? whole : undefined;
  }

  /** New text only where something changes; undefined where the editor does not know how. */
  private spliced(edits: readonly YamlEdit[]): string | undefined {
    const inPlace = edits.filter(({ what }) => what === "set" || what === "remove");
    const ofLists = edits.filter(({ what }) => what === "append" || what === "arrange");
    const first = splice(this.text, valueSplices(this.text, this.document, inPlace));
    if (first === undefined || ofLists.length === 0) return first;
    // A list that is inside of another list cannot be arranged with it.
    const document = parseDocument(first, { keepSourceTokens: true });
    return splice(first, all(ofLists.map((edit) => listSplices(first, document, edit))));
  }

  /** The file written again, with its comments; undefined if an edit removed what an alias stands for. */
  private whole(edits: readonly YamlEdit[]): string | undefined {
    const document = parseDocument(this.text);
    for (const edit of edits) editDocument(document, edit);
    if (hasLooseAlias(document)) return undefined;
    const text = document.toString({ lineWidth: 0 });
    // If the file itself has such line ends, they may be in places where an escape has no meaning.
    return escapeLineEnds(this.text) === this.text ? escapeLineEnds(text) : text;
  }
}

function hasLooseAlias(document: Document): boolean {
  const names = new Set<string>();
  let isLoose = false;
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) isLoose ||= !names.has(node.source);
      else if (isScalar(node) || isCollection(node)) names.add(node.anchor ?? "");
    },
  });
  return isLoose;
}

function jsonOf(document: Document): Json {
  // The reader of the project has refused what no JSON can hold, and too many aliases.
  const value: Json = document.toJS({ maxAliasCount: -1 });
  return value;
}

function means(text: string, wanted: Json): boolean {
  const parsed = parseDocument(text);
  return parsed.errors.length === 0 && equal(jsonOf(parsed), wanted);
}

function stepInto(value: Json | undefined, path: Steps): Json | undefined {
  return path.reduce<Json | undefined>((current, step) => {
    if (typeof step === "number") return isList(current) ? current[step] : undefined;
    return isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }, value);
}

/** The nodes from one to the value at a path below it, as far as they exist; an alias is not followed. */
function nodesTo(top: unknown, path: Steps): readonly Node[] {
  let node = top;
  const nodes: Node[] = [];
  for (const step of [undefined, ...path]) {
    if (step !== undefined) node = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
    if (!isNode(node)) return nodes;
    nodes.push(node);
  }
  return nodes;
}

/** The value with one change, as plain JSON. */
function changed(value: Json, edit: YamlEdit): Json {
  switch (edit.what) {
    case "set":
      return replaced(value, edit.path, () => edit.value);
    case "remove":
      return removed(value, edit.path);
    case "append":
      return replaced(value, edit.path, (list) => [...(isList(list) ? list : []), ...edit.items]);
    case "arrange":
      return replaced(value, edit.path, (list) => edit.items.map((item) => arranged(isList(list) ? list : [], item)));
    default:
      return edit satisfies never;
  }
}

function arranged(list: readonly Json[], item: Arranged): Json {
  return typeof item === "number" ? (list[item] ?? null) : item.added;
}

function replaced(value: Json | undefined, [step, ...rest]: Steps, make: (old: Json | undefined) => Json): Json {
  if (step === undefined) return make(value);
  if (typeof step === "number")
    return isList(value) ? value.map((item, index) => (index === step ? replaced(item, rest, make) : item)) : [];
  const map = isObject(value) ? value : {};
  return { ...map, [step]: replaced(map[step], rest, make) };
}

function removed(value: Json, path: Steps): Json {
  const [step, ...rest] = lonePath(value, path);
  if (step === undefined) return value;
  const inner = stepInto(value, [step]) ?? null;
  if (rest.length > 0) return replaced(value, [step], () => removed(inner, rest));
  if (isList(value)) return value.filter((_item, index) => index !== step);
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== step)) : value;
}

/** The path to what is removed with a value: the outermost map of which nothing would be left. */
function lonePath(value: Json, path: Steps): Steps {
  const outer = path.slice(0, -1);
  const map = stepInto(value, outer);
  const canGo = outer.length > 0 && typeof outer.at(-1) === "string";
  return canGo && isObject(map) && Object.keys(map).length === 1 ? lonePath(value, outer) : path;
}

function editDocument(document: Document, edit: YamlEdit): void {
  switch (edit.what) {
    case "set":
      setIn(document, edit.path, edit.value);
      return;
    case "remove":
      document.deleteIn(lonePath(jsonOf(document), edit.path));
      return;
    case "append": {
      if (!isSeq(document.getIn(edit.path))) return setIn(document, edit.path, edit.items);
      for (const item of edit.items) document.addIn(edit.path, nodeOf(item));
      return;
    }
    case "arrange": {
      const list = document.getIn(edit.path);
      if (!isSeq(list)) return;
      const { items } = list;
      list.items = edit.items.map((item) => (typeof item === "number" ? items[item] : nodeOf(item.added)));
      return;
    }
    default:
      edit satisfies never;
  }
}

function setIn(document: Document, path: Steps, value: Json): void {
  // A key without a value counts as missing.
  for (const [depth] of path.entries()) {
    const outer = path.slice(0, depth);
    const found = depth === 0 ? document.contents : document.getIn(outer);
    if (!isMap(found) && !isSeq(found) && typeof path[depth] === "string")
      document.setIn(outer, document.createNode({}));
  }
  document.setIn(path, nodeOf(value));
}

/** A value with the quotes that `writeYaml` uses. */
function nodeOf(value: Json): Node | null {
  return parseDocument(writeYaml(value)).contents;
}

/** A part of a text, and what takes its place. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function all(lists: readonly (readonly Splice[] | undefined)[]): readonly Splice[] | undefined {
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** The text with the new parts, in its own line ends; undefined if parts overlap. */
function splice(text: string, splices: readonly Splice[] | undefined): string | undefined {
  if (!splices) return undefined;
  const isWindows = /^[^\n]*\r\n/.test(text);
  const pieces: string[] = [];
  let done = 0;
  for (const { from, to, text: fresh } of [...splices].sort((left, right) => left.from - right.from)) {
    if (from < done) return undefined;
    pieces.push(text.slice(done, from), isWindows ? fresh.replace(/\r?\n/g, "\r\n") : fresh);
    done = to;
  }
  return [...pieces, text.slice(done)].join("");
}

/** What to set and to remove below one place. */
type Tree = Map<string | number, Tree | { readonly value: Json } | "removed">;

function valueSplices(text: string, document: Document, edits: readonly YamlEdit[]): readonly Splice[] | undefined {
  const tree: Tree = new Map();
  const json = edits.some(({ what }) => what === "remove") ? jsonOf(document) : null;
  for (const edit of edits) {
    const path = edit.what === "remove" ? lonePath(json, edit.path) : edit.path;
    let at = tree;
    for (const step of path.slice(0, -1)) {
      const known = at.get(step);
      const next: Tree = known instanceof Map ? known : new Map();
      at.set(step, next);
      at = next;
    }
    const last = path.at(-1);
    if (last !== undefined) at.set(last, edit.what === "set" ? { value: edit.value } : "removed");
  }
  return splicesIn(text, document.contents, tree);
}

function splicesIn(text: string, node: unknown, tree: Tree): readonly Splice[] | undefined {
  if (isSeq(node))
    return all(
      [...tree].map(([step, inner]) => {
        const item = node.items[Number(step)];
        if (inner === "removed" || !isNode(item)) return undefined;
        return inner instanceof Map ? splicesIn(text, item, inner) : instead(text, item, inner.value);
      }),
    );
  if (!isMap(node)) return tree.size === 0 ? [] : undefined;
  const added: Record<string, Json> = {};
  const found = [...tree].map(([step, inner]): readonly Splice[] | undefined => {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
    if (inner === "removed") return pair ? without(text, node, pair) : [];
    const isInside = pair && inner instanceof Map && (isMap(pair.value) || isSeq(pair.value));
    if (isInside) return splicesIn(text, pair.value, inner);
    const value = inner instanceof Map ? jsonIn(inner) : inner.value;
    if (pair && isNode(pair.value)) return instead(text, pair.value, value);
    if (pair) return undefined;
    added[String(step)] = value;
    return [];
  });
  const isAdded = Object.keys(added).length > 0;
  return all([...found, isAdded ? withMembers(text, node, added) : []]);
}

function jsonIn(tree: Tree): Json {
  const members = [...tree].flatMap(([step, inner]): [string, Json][] =>
    inner === "removed" ? [] : [[String(step), inner instanceof Map ? jsonIn(inner) : inner.value]],
  );
  return Object.fromEntries(members);
}

/** A value in the place of another, in its quotes if it has some. */
function instead(text: string, node: Node, value: Json): readonly Splice[] | undefined {
  const [from, to] = node.range ?? [];
  if (from === undefined || to === undefined) return undefined;
  if (isCollection(node) && node.flow !== true && (isList(value) || isObject(value))) {
    if (isList(value) ? value.length === 0 : Object.keys(value).length === 0) return undefined;
    const lines = writeYaml(value).trimEnd().split("\n");
    return [{ from, to: contentEnd(text, from, to), text: lines.join(`\n${indentAt(text, from)}`) }];
  }
  if (isCollection(node) && node.flow !== true) return undefined;
  const quotes = isScalar(node) ? QUOTES.find((type) => type === node.type) : undefined;
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL);
  const end = isBlock ? contentEnd(text, from, to) : to;
  const isEmpty = from === to;
  return [{ from, to: end, text: `${isEmpty ? " " : ""}${inlineYaml(value, quotes)}` }];
}

const QUOTES = [Scalar.QUOTE_DOUBLE, Scalar.QUOTE_SINGLE] as const;

/** A range without the line ends and blanks at its end. */
function contentEnd(text: string, from: number, to: number): number {
  return from + text.slice(from, to).trimEnd().length;
}

/** The blanks that a line needs to begin in the column of an offset. */
function indentAt(text: string, offset: number): string {
  return " ".repeat(offset - lineStart(text, offset));
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The start of the line after the one with this offset, or the offset itself if it starts a line. */
function lineEnd(text: string, offset: number): number {
  if (offset === 0 || text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** New members of a map, behind its last one. */
function withMembers(text: string, map: YAMLMap, added: Json): readonly Splice[] | undefined {
  if (map.flow !== true || map.items.length === 0) return afterLast(text, map, added);
  const end = endOf(map.items.at(-1)?.value);
  return end === undefined ? undefined : [{ from: end, to: end, text: `, ${membersOf(inlineYaml(added))}` }];
}

/** The members of a map in braces. */
function membersOf(inline: string): string {
  return inline.slice(1, -1).trim();
}

function endOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[1] : undefined;
}

/** New members or items on lines of their own after the last one; undefined if they cannot go there. */
function afterLast(text: string, collection: YAMLMap | YAMLSeq, added: Json): readonly Splice[] | undefined {
  const [start, end] = collection.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  if (collection.items.length === 0) return insteadOfEmpty(text, start, end, added);
  if (collection.flow === true) return undefined;
  const indent = indentAt(text, start);
  // Blank lines separate the sections of a file, but not members and items.
  const block = (indent === "" ? "\n" : "") + linesOf(added, indent);
  const at = lineEnd(text, end);
  const gap = at > 0 && text[at - 1] !== "\n" ? "\n" : "";
  return [{ from: at, to: at, text: `${gap}${block}` }];
}

/** A block in place of an empty `[]` or `{}` after its key; what follows on that line stays. */
function insteadOfEmpty(text: string, start: number, end: number, added: Json): readonly Splice[] {
  const keyLine = text.slice(lineStart(text, start), start);
  const block = linesOf(added, `${/^ */.exec(keyLine)?.[0] ?? ""}  `);
  const at = lineEnd(text, end);
  const rest = text.slice(end, at).trimEnd();
  return [{ from: contentEnd(text, 0, start), to: at, text: `${rest}\n${block}` }];
}

function linesOf(value: Json, indent: string): string {
  const lines = writeYaml(value).trimEnd().split("\n");
  return lines.map((line) => `${indent}${line}\n`).join("");
}

/** A map without one of its members. */
function without(text: string, map: YAMLMap, pair: Pair): readonly Splice[] | undefined {
  const [start] = isNode(pair.key) ? (pair.key.range ?? []) : [];
  const end = endOf(pair.value);
  if (start === undefined || end === undefined || map.items.length === 1) return undefined;
  if (map.flow === true) {
    const index = map.items.findIndex((each) => each === pair);
    const next = map.items[index + 1];
    const before = map.items[index - 1];
    const [nextStart] = isPair(next) && isNode(next.key) ? (next.key.range ?? []) : [];
    if (nextStart !== undefined) return [{ from: start, to: nextStart, text: "" }];
    const from = endOf(before?.value);
    return from === undefined ? undefined : [{ from, to: end, text: "" }];
  }
  const from = lineStart(text, start);
  if (text.slice(from, start).trim() !== "") return undefined;
  return [{ from: aboveWithComments(text, from, 0), to: lineEnd(text, contentEnd(text, start, end)), text: "" }];
}

/** The start of a line, or of the comments directly above it that have its indent. */
function aboveWithComments(text: string, start: number, least: number): number {
  const indent = /^ */.exec(text.slice(start))?.[0] ?? "";
  let from = start;
  while (from > least) {
    const above = lineStart(text, from - 1);
    if (above < least || !text.startsWith(`${indent}#`, above)) break;
    from = above;
  }
  return from;
}

function listSplices(text: string, document: Document, edit: YamlEdit): readonly Splice[] | undefined {
  if (edit.what !== "append" && edit.what !== "arrange") return undefined;
  const list = document.getIn(edit.path);
  if (!isSeq(list))
    return edit.what === "append"
      ? valueSplices(text, document, [{ what: "set", path: edit.path, value: edit.items }])
      : undefined;
  if (edit.what === "append" && (list.flow !== true || list.items.length === 0))
    return afterLast(text, list, edit.items);
  const kept = list.items.map((_item, index) => index);
  const items = edit.what === "append" ? [...kept, ...edit.items.map((added) => ({ added }))] : edit.items;
  return list.flow === true ? flowList(text, list, items) : blockList(text, list, items);
}

/** A list in brackets, with the separators that it has. */
function flowList(text: string, list: YAMLSeq, items: readonly Arranged[]): readonly Splice[] | undefined {
  const [from, to] = list.range ?? [];
  const ranges = list.items.map((item) => (isNode(item) ? item.range : undefined));
  const [first, second, last] = [ranges[0], ranges[1], ranges.at(-1)];
  if (from === undefined || to === undefined || !first || !last) return undefined;
  const [before, after] = [text.slice(from, first[0]), text.slice(last[1], to)];
  const between = second ? text.slice(first[1], second[0]) : ", ";
  if ([before, between, after].some((part) => part.includes("#"))) return undefined;
  const texts = items.map((item) => {
    const range = typeof item === "number" ? ranges[item] : undefined;
    return typeof item === "number" ? text.slice(range?.[0], range?.[1]) : inlineYaml(item.added);
  });
  return [{ from, to, text: texts.length === 0 ? "[]" : `${before}${texts.join(between)}${after}` }];
}

/** A list with an item on each line, or more; comments directly above an item belong to it. */
function blockList(text: string, list: YAMLSeq, items: readonly Arranged[]): readonly Splice[] | undefined {
  const dashes = dashesOf(list);
  const [start] = list.range ?? [];
  if (start === undefined || !dashes || dashes.length !== list.items.length) return undefined;
  const ends = list.items.map((item, index) => {
    const dash = dashes[index] ?? 0;
    return lineEnd(text, contentEnd(text, dash, endOf(item) ?? dash + 1));
  });
  const starts = dashes.map((dash, index) => aboveWithComments(text, lineStart(text, dash), ends[index - 1] ?? 0));
  const [from, to] = [starts[0], ends.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  if (dashes.some((dash) => text.slice(lineStart(text, dash), dash).trim() !== "")) return undefined;
  const first = lineStart(text, dashes[0] ?? 0);
  if (items.length === 0)
    return [
      { from: contentEnd(text, 0, first), to: first, text: " []\n" },
      { from: first, to, text: "" },
    ];
  const indent = indentAt(text, dashes[0] ?? 0);
  const texts = items.map((item) => {
    if (typeof item !== "number") return linesOf([item.added], indent);
    // What lies between an item and the next one, such as a blank line, stays behind it.
    const chunk = text.slice(starts[item], starts[item + 1] ?? to);
    return chunk.endsWith("\n") ? chunk : `${chunk}\n`;
  });
  return [{ from, to, text: texts.join("") }];
}

/** The offsets of the dashes before the items. */
function dashesOf({ srcToken }: YAMLSeq): readonly number[] | undefined {
  if (srcToken?.type !== "block-seq") return undefined;
  return srcToken.items.flatMap(({ start }) => start.find(({ type }) => type === "seq-item-ind")?.offset ?? []);
}
