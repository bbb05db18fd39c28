import { problem } from "../core/problem.ts";
import { type Diagnostic, error, formatPosition, type Position, warning } from "../core/diagnostic.ts";
import { optionalText } from "../core/decode.ts";
import { isList, isObject, type JsonObject } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Section } from "../kinds/traits/declared.ts";
import { KINDS } from "../kinds/registry.ts";
import type { DesiredObject } from "./desired.ts";
import { declaredValues, isLost, keyPlaceOf, nearest, placeOf } from "./document.ts";
import type { Report } from "./report.ts";

/** An object that is declared in one place of the YAML, with its map there. */
export interface WrittenObject {
  readonly object: DesiredObject;
  readonly section: JsonObject;
}

/** Every object that the zone file declares in a section of its own (`Kind.section`), kind by kind. */
export function sectionObjects(root: JsonObject, todayMilliseconds: number, report: Report): readonly WrittenObject[] {
  const name = isObject(root["zone"]) ? optionalText(root["zone"], "name") : undefined;
  const reading = { todayMilliseconds, report, zone: name };
  return KINDS.flatMap((kind) => (kind.section ? objectsIn(root, kind, kind.section, reading) : []));
}

/** The zone, today's date for what expires, and the report for errors. */
interface Reading {
  readonly zone: string | undefined;
  readonly todayMilliseconds: number;
  readonly report: Report;
}

function objectsIn(root: JsonObject, kind: Kind, section: Section, reading: Reading): readonly WrittenObject[] {
  const value = root[section.key];
  switch (section.shape) {
    case "object":
      return isObject(value) ? [written(kind, section, "", value, keyPlaceOf(root, section.key), reading)] : [];
    case "map":
      if (!isObject(value)) return [];
      return Object.entries(value).flatMap(([key, inner]) =>
        isObject(inner) ? [written(kind, section, key, inner, keyPlaceOf(value, key), reading)] : [],
      );
    case "list":
      if (!isList(value)) return [];
      return onlyOnce(
        value
          .filter(isObject)
          .map((item) => written(kind, section, section.keyOf(declaredValues(item)), item, placeOf(item), reading)),
        reading.report,
      );
    default:
      return section satisfies never;
  }
}

/** A list can declare the same object twice. */
function onlyOnce(objects: readonly WrittenObject[], report: Report): readonly WrittenObject[] {
  const byKey = new Map<string, WrittenObject>();
  for (const each of objects) {
    const { kind, key, at } = each.object;
    const first = byKey.get(key);
    if (!first) byKey.set(key, each);
    else {
      const values = { object: `${kind}[${JSON.stringify(key)}]`, place: formatPosition(first.object.at) };
      report(error(problem("declared-twice", values, { at })));
    }
  }
  return [...byKey.values()];
}

function written(
  kind: Kind,
  section: Section,
  key: string,
  map: JsonObject,
  at: Position,
  { todayMilliseconds, report, zone }: Reading,
): WrittenObject {
  const declared = Object.entries(declaredValues(map, ["protect"]));
  const isOption = ([name]: readonly [string, unknown]): boolean => section.options.includes(name);
  const spec: JsonObject = Object.fromEntries(declared.filter((pair) => !isOption(pair)));
  const options: JsonObject = Object.fromEntries(declared.filter(isOption));
  if (spec[section.required] === undefined && !isLost(map, [section.required]))
    report(missing(`${key || section.key}.${section.required}`, at));
  for (const { path, code, message, remedy, after, isWarning } of kind.problems(key, spec, zone, options)) {
    if (after !== undefined && todayMilliseconds < after) continue;
    const found = { code, message, remedy, at: nearest(map, path)?.at ?? at };
    report(after === undefined && !isWarning ? error(found) : warning(found));
  }
  const { protect } = map;
  const object: DesiredObject = {
    kind: kind.name,
    key,
    spec: kind.normalise(spec),
    options,
    ...(typeof protect === "boolean" ? { protect } : {}),
    at,
  };
  return { object, section: map };
}

function missing(name: string, at: Position): Diagnostic {
  return error({ code: "missing-key", message: `${name} is missing`, remedy: "add it here or in a layer", at });
}
