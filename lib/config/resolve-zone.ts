import { zoneId } from "../core/brand.ts";
import { optionalText } from "../core/decode.ts";
import {
  type Diagnostic,
  error,
  formatPosition,
  type Origin,
  type Position,
  problem,
  warning,
} from "../core/diagnostic.ts";
import { type Path, isList, isObject, type JsonObject } from "../core/json.ts";
import type { SecretAtHand } from "../kinds/custom-hostname/upload.ts";
import type { KindName, Kind } from "../kinds/kind.ts";
import { KINDS, isHostname } from "../kinds/registry.ts";
import type { Section } from "../kinds/traits/declared.ts";
import { checkFacts } from "./check-facts.ts";
import type { Decider, DeclaredObject, DeletionLimit, DesiredObject, DesiredZone, SourceCount } from "./desired.ts";
import type { ZoneFile } from "./document-types.ts";
import { isLeftOut, isLost, ITEM, keyPlaceOf, LocatedText, placeOf, declaredValues, nearest } from "./document.ts";
import type { HostnameProblems } from "./hostname-problems.ts";
import {
  ABSENCES,
  type DeclaredHostnames,
  deciderOf,
  declareHostnames,
  direct,
  hostnameObjects,
  originInSection,
  originOfLeaf,
} from "./hostnames.ts";
import type { LayeredZone } from "./layers.ts";
import { decodeDeletionLimits } from "./limits.ts";
import { decodeForgets, decodeMoves } from "./moves.ts";
import type { Report } from "./report.ts";
import { type DecodedRules, decodeRules, decodeChecks, deniedLiveAuthorities } from "./rules.ts";
import type { LoadedSource } from "./source.ts";

/** A zone, what its sources contained, and a way to find where a field comes from. */
export interface ResolvedZone {
  readonly zone: DesiredZone;
  readonly sources: readonly SourceCount[];
  originOf(object: DeclaredObject, path: Path): Origin | undefined;
  deciderOf(hostname: Omit<DeclaredObject, "kind">, path: Path): Decider | undefined;
}

/** The project file's settings for every zone. */
export interface ProjectFacts {
  readonly sources: ReadonlyMap<string, LoadedSource>;
  readonly deletionLimits: ReadonlyMap<KindName, DeletionLimit>;
  readonly secretOf: SecretAtHand;
  /** Collects the errors of single hostnames of all zones. */
  readonly problems: HostnameProblems;
}

/**
 * Applies policies, exceptions and sources to what one zone declares. Pure; undefined if the zone has no id or name.
 */
export function resolveZone(
  { root, file, isWhole }: LayeredZone,
  { sources, deletionLimits, secretOf, problems }: ProjectFacts,
  todayMilliseconds: number,
  report: Report,
): ResolvedZone | undefined {
  const { zone, custom_hostnames: section } = root;
  const checks = decodeChecks(root.checks ?? [], report);
  const decoded = decodeRules(section, deniedLiveAuthorities(checks), todayMilliseconds, report);
  if (isWhole && !isLost(root, ["custom_hostnames", "lifecycle"])) checkLifecycle(root, report);
  const declared = declareHostnames(section ?? {}, decoded.rules, sources, report);
  const hostnames = hostnameObjects(declared, decoded, { file, root, isWhole }, secretOf, problems);
  const ofSound: Report = (problem) => (isWhole || !ABSENCES.has(problem.code) ? report(problem) : undefined);
  const written = sectionObjects(root, todayMilliseconds, ofSound);
  if (isWhole && declared.isWhole && !isLostHostname(root))
    checkFacts(section ?? {}, decoded, declared, sources, { file, report });

  if (!zone) return isWhole && !isLost(root, ["zone"]) ? report(missingZone(placeOf(root))) : undefined;
  const { name } = zone;
  const objects = [...written.map(objectOf), ...hostnames];
  return {
    zone: {
      id: zoneId(zone.id),
      name,
      at: placeOf(root, "zone"),
      objects,
      hostnames: decoded.rules,
      checks,
      moves: decodeMoves(root.moved ?? [], name, report),
      forgets: decodeForgets(root.forget ?? [], report),
      deletionLimits: decodeDeletionLimits(root.deletion_limits, deletionLimits),
    },
    sources: declared.fed.map(({ source, rows }) => ({
      zone: name,
      source: source.name,
      rows,
      first: source.first,
      end: source.end,
      has: source.has,
      maxShrink: source.maxShrink,
      at: source.at,
    })),
    originOf: (object, path) => originIn(object, path, { declared, decoded, written, file }),
    deciderOf: ({ key, facts }, path) => {
      const hostname = declared.byName.get(key) ?? (facts && { facts });
      return hostname && deciderOf(path, hostname, decoded);
    },
  };
}

/** Whether a hostname may be missing only because its entry, or a whole source, is wrong. */
function isLostHostname(root: ZoneFile): boolean {
  return (["entries", "from"] as const).some((key) => isLost(root, ["custom_hostnames", key, ITEM]));
}

function objectOf({ object }: WrittenObject): DesiredObject {
  return object;
}

/**
 * The YAML must say who creates and deletes hostnames: either default would surprise some users
 * (docs/semantics.md#lifecycle).
 */
function checkLifecycle(root: ZoneFile, report: Report): void {
  const { custom_hostnames: section } = root;
  if (!section || (section.lifecycle ?? undefined) !== undefined) return;
  report(error(problem("missing-lifecycle", {}, { at: keyPlaceOf(root, "custom_hostnames") })));
}

function missingZone(at: Position): Diagnostic {
  return error({
    code: "missing-zone",
    message: "the file has no zone",
    remedy:
      'add the zone; or, if this is a layer, move it to a folder that zones does not match:\n    zone:\n      id: "023e105f4ecef8ad9ca31a8372d0c353"\n      name: saas.dev',

    at,
  });
}

function originIn(
  { kind, key, facts }: DeclaredObject,
  path: Path,
  {
    declared,
    decoded,
    written,
    file,
  }: { declared: DeclaredHostnames; decoded: DecodedRules; written: readonly WrittenObject[]; file: string },
): Origin | undefined {
  if (!isHostname(kind)) {
    const found = written.find(({ object }) => object.kind === kind && object.key === key);
    return found && originInSection(found.section, path, file);
  }
  const declaration = declared.byName.get(key) ?? (facts && { facts });
  if (declaration && "at" in declaration && path[0] === "hostname") return direct(declaration.at, file);
  return declaration && originOfLeaf(path, declaration, decoded, file);
}

/** An object that is declared in one place of the YAML, with its map there. */
interface WrittenObject {
  readonly object: DesiredObject;
  readonly section: JsonObject;
}

/** Every object that the zone file declares in a section of its own (`Kind.section`), kind by kind. */
function sectionObjects(root: JsonObject, todayMilliseconds: number, report: Report): readonly WrittenObject[] {
  const name = isObject(root["zone"]) ? optionalText(root["zone"], "name") : undefined;
  const reading = { todayMilliseconds, report, zone: name };
  return KINDS.flatMap((kind) => (kind.section ? objectsIn(root, kind, kind.section, reading) : []));
}

/** The zone, today's date for expiries, and the report for errors. */
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
  const values: JsonObject = Object.fromEntries(declared.filter((pair) => !isOption(pair)));
  const options: JsonObject = Object.fromEntries(declared.filter(isOption));
  const withNulls = Object.fromEntries(Object.entries(map).filter((pair) => pair[0] !== "protect" && !isOption(pair)));
  if (values[section.required] === undefined && !isLost(map, [section.required]))
    report(missing(`${key || section.key}.${section.required}`, at));
  for (const each of kind.problems(key, values, zone, options)) {
    const { path, within, code, message, remedy, after, isWarning } = each;
    if (after !== undefined && todayMilliseconds < after) continue;
    if (isLeftOut(map, path)) continue;
    const place = nearest(map, path);
    const isPart = within !== undefined && place instanceof LocatedText;
    const found = { code, message, remedy, at: (isPart ? place.within(within) : place?.at) ?? at };
    report(after === undefined && !isWarning ? error(found) : warning(found));
  }
  const { protect } = map;
  const object: DesiredObject = {
    kind: kind.name,
    key,
    // A null may forbid a default, so it is dropped only after the defaults are filled in.
    values: declaredValues(kind.normalise(withNulls)),
    options,
    ...(typeof protect === "boolean" ? { protect } : {}),
    at,
  };
  return { object, section: map };
}

function missing(name: string, at: Position): Diagnostic {
  return error({ code: "missing-key", message: `${name} is missing`, remedy: "add it here or in a layer", at });
}
