import type { Position } from "../core/diagnostic.ts";
import type { Json, JsonObject } from "../core/json.ts";

/** A value of a file with its place: the tree that every later step reads, so that each error can name its place. */
export type Node = ScalarNode | MapNode | ListNode;

/** A text, a number, a truth value, or nothing. */
export interface ScalarNode {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  readonly at: Position;
  /** As it is written, where the file's language turned it into something else than text. */
  readonly written?: string;
}

/** A map. Its keys come from users, so they are kept in a `Map` and never in an object of ours. */
export interface MapNode {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly at: Position;
}

/** One key of a map with its value. */
export interface MapEntry {
  readonly keyAt: Position;
  readonly value: Node;
}

/** A list. */
export interface ListNode {
  readonly kind: "list";
  readonly items: readonly Node[];
  readonly at: Position;
}

/** Steps from the top of a tree: keys of maps and indexes of lists. */
export type NodePath = readonly (string | number)[];

/** The value under a key of a map, or undefined where there is none, or where the node is no map. */
export function child(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === "map" ? node.entries.get(key)?.value : undefined;
}

/** The items of a list, or nothing where the node is no list. */
export function items(node: Node | undefined): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** The entries of a map with their keys, or nothing where the node is no map. */
export function entries(node: Node | undefined): readonly (readonly [string, MapEntry])[] {
  return node?.kind === "map" ? [...node.entries] : [];
}

/** The text of a scalar, or undefined. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** The truth value of a scalar, or undefined. */
export function booleanOf(node: Node | undefined): boolean | undefined {
  return node?.kind === "scalar" && typeof node.value === "boolean" ? node.value : undefined;
}

/** The number of a scalar, or undefined. */
export function numberOf(node: Node | undefined): number | undefined {
  return node?.kind === "scalar" && typeof node.value === "number" ? node.value : undefined;
}

/** The texts of a list or of a single text: the two spellings of "any of these". */
export function textsOf(node: Node | undefined): readonly string[] {
  const single = textOf(node);
  if (single !== undefined) return [single];
  return items(node).flatMap((item) => textOf(item) ?? []);
}

/** The node at a path; where the path leads nowhere, the last node on the way. */
export function nearest(node: Node, path: NodePath): Node {
  let current = node;
  for (const step of path) {
    const next = typeof step === "number" ? items(current)[step] : child(current, step);
    if (!next) return current;
    current = next;
  }
  return current;
}

/** The node at a path, or undefined. */
export function nodeAt(node: Node | undefined, path: NodePath): Node | undefined {
  let current = node;
  for (const step of path) {
    current = typeof step === "number" ? items(current)[step] : child(current, step);
    if (!current) return undefined;
  }
  return current;
}

/** The tree as JSON, nulls included: what a schema is checked against. */
export function toJson(node: Node): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toJson(value)]));
    default:
      return node satisfies never;
  }
}

/** The tree as declared values: a key whose value is `null` is nobody's business and left out (docs/semantics.md#ownership). */
export function toDeclared(node: Node): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toDeclared);
    case "map":
      return declaredMap(node);
    default:
      return node satisfies never;
  }
}

/** The declared values of a map, without the keys that are named; an empty object where the node is no map. */
export function declaredMap(node: Node | undefined, without: readonly string[] = []): JsonObject {
  const kept = entries(node).filter(([key, { value }]) => !without.includes(key) && !isNothing(value));
  return Object.fromEntries(kept.map(([key, { value }]) => [key, toDeclared(value)]));
}

function isNothing(node: Node): boolean {
  return node.kind === "scalar" && node.value === null;
}
