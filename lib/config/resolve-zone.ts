import { problem } from "../core/problem.ts";
import { zoneId } from "../core/brand.ts";
import { type Diagnostic, error, type Origin, type Position } from "../core/diagnostic.ts";
import type { Path } from "../core/json.ts";
import type { KindName } from "../kinds/kind.ts";
import type { SecretAtHand } from "../kinds/custom-hostname/upload.ts";
import { decodeDeletionLimits } from "./limits.ts";
import type { DeclaredObject, DeletionLimit, DesiredObject, DesiredZone, SourceCount } from "./desired.ts";
import { checkFacts } from "./check-facts.ts";
import { type HostnameProblems } from "./hostname-problems.ts";
import { ABSENCES, type DeclaredHostnames, declareHostnames, hostnameObjects } from "./hostnames.ts";
import type { LayeredZone } from "./layers.ts";
import { isLost, ITEM, keyPlaceOf, placeOf } from "./document.ts";
import type { ZoneFile } from "./document-types.ts";
import { direct, originInSection, originOfLeaf } from "./origins.ts";
import { decodeForgets, decodeMoves } from "./moves.ts";
import { type DecodedRules, decodeRules, decodeChecks, deniedLiveAuthorities } from "./rules.ts";
import type { LoadedSource } from "./source.ts";
import { sectionObjects, type WrittenObject } from "./zone-objects.ts";
import type { Report } from "./report.ts";

/** A zone, what its sources contained, and a way to find where a field comes from. */
export interface ResolvedZone {
  readonly zone: DesiredZone;
  readonly sources: readonly SourceCount[];
  originOf(object: DeclaredObject, path: Path): Origin | undefined;
}

/** What the project file sets for every zone. */
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
 * The YAML must say who creates and deletes hostnames: either default would surprise somebody
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
  if (kind !== "custom_hostname") {
    const found = written.find(({ object }) => object.kind === kind && object.key === key);
    return found && originInSection(found.section, path, file);
  }
  const declaration = declared.byName.get(key) ?? (facts && { facts });
  if (declaration && "at" in declaration && path[0] === "hostname") return direct(declaration.at, file);
  return declaration && originOfLeaf(path, declaration, decoded, file);
}
