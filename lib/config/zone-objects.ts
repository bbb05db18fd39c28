import { type Diagnostic, error, formatPosition, type Position, warning } from "../core/diagnostic.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Section } from "../kinds/traits/declared.ts";
import { KINDS } from "../kinds/registry.ts";
import type { DesiredObject } from "./desired.ts";
import { booleanOf, child, declaredMap, entries, items, type MapEntry, type Node, nearest } from "./node.ts";
import type { Report } from "./report.ts";

/** An object that is written in one place of the YAML, with the map that it was read from. */
export interface WrittenObject {
  readonly object: DesiredObject;
  readonly node: Node;
}

/** Every object that the zone file declares in a section of its own (`Kind.section`), kind by kind. */
export function sectionObjects(root: Node, todayMilliseconds: number, report: Report): readonly WrittenObject[] {
  return KINDS.flatMap((kind) =>
    kind.section ? objectsIn(root, kind, kind.section, { todayMilliseconds, report }) : [],
  );
}

/** When it is, for what goes out of date, and where to tell what is found. */
interface Reading {
  readonly todayMilliseconds: number;
  readonly report: Report;
}

function objectsIn(root: Node, kind: Kind, section: Section, reading: Reading): readonly WrittenObject[] {
  const entry = root.kind === "map" ? root.entries.get(section.key) : undefined;
  switch (section.shape) {
    case "object":
      return entry?.value.kind === "map" ? [written(kind, section, "", entry, reading)] : [];
    case "map":
      return entries(entry?.value).flatMap(([key, inner]) =>
        inner.value.kind === "map" ? [written(kind, section, key, inner, reading)] : [],
      );
    case "list":
      return onlyOnce(
        items(entry?.value).flatMap((node) => {
          if (node.kind !== "map") return [];
          return [written(kind, section, section.keyOf(declaredMap(node)), { keyAt: node.at, value: node }, reading)];
        }),
        reading.report,
      );
    default:
      return section satisfies never;
  }
}

/** In a list nothing keeps the same object from being declared twice. */
function onlyOnce(objects: readonly WrittenObject[], report: Report): readonly WrittenObject[] {
  const byKey = new Map<string, WrittenObject>();
  for (const each of objects) {
    const { kind, key, at } = each.object;
    const first = byKey.get(key);
    if (!first) byKey.set(key, each);
    else {
      const message = `${localName(kind, key)} is declared already, at ${formatPosition(first.object.at)}`;
      report(error({ code: "declared-twice", message, remedy: "keep one of them", at }));
    }
  }
  return [...byKey.values()];
}

function localName(kind: string, key: string): string {
  return `${kind}[${JSON.stringify(key)}]`;
}

function written(kind: Kind, section: Section, key: string, entry: MapEntry, reading: Reading): WrittenObject {
  const { todayMilliseconds, report } = reading;
  const { keyAt, value: node } = entry;
  const declared = node.kind === "map" ? Object.entries(declaredMap(node, ["protect"])) : [];
  const isOption = ([name]: readonly [string, unknown]): boolean => section.options.includes(name);
  const spec: JsonObject = Object.fromEntries(declared.filter((pair) => !isOption(pair)));
  if (spec[section.required] === undefined) report(missing(`${key || section.key}.${section.required}`, keyAt));
  for (const { path, code, message, remedy, after } of kind.problems(key, spec)) {
    if (after !== undefined && todayMilliseconds < after) continue;
    const problem = { code, message, remedy, at: placeIn(node, path, keyAt) };
    report(after === undefined ? error(problem) : warning(problem));
  }
  const protect = booleanOf(child(node, "protect"));
  const object: DesiredObject = {
    kind: kind.name,
    key,
    spec: kind.normalise(spec),
    options: Object.fromEntries(declared.filter(isOption)),
    ...(protect === undefined ? {} : { protect }),
    at: keyAt,
  };
  return { object, node };
}

function missing(name: string, at: Position): Diagnostic {
  return error({ code: "missing-key", message: `${name} is missing`, remedy: "add it here, or in a layer", at });
}

/** The place of a value; of a map it is the key that leads to it which people look for, so the map's own place will do. */
function placeIn(node: Node, path: readonly (string | number)[], otherwise: Position): Position {
  const found = nearest(node, path);
  return found === node ? otherwise : found.at;
}
