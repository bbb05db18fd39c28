import { zoneId } from "../core/brand.ts";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import type { JsonObject, Path } from "../core/json.ts";
import type { KindName, Origin } from "../kinds/kind.ts";
import type { SecretAtHand } from "../kinds/custom-hostname/upload.ts";
import { kindNamed } from "../kinds/registry.ts";
import { decodeChecks, deniedLiveAuthorities } from "./checks.ts";
import { decodeDeletionLimits } from "./deletion-limits.ts";
import type { DeletionLimit, DesiredObject, DesiredZone, SourceCount } from "./desired.ts";
import { checkFacts } from "./check-facts.ts";
import { ABSENCES, type DeclaredHostnames, declareHostnames, hostnameObjects } from "./hostnames.ts";
import type { LayeredZone } from "./layers.ts";
import { keyPlaceOf, placeOf } from "./document.ts";
import type { ZoneFile } from "./document-types.ts";
import { originsOfHostname, originsOfSection } from "./origins.ts";
import { decodeForgets, decodeMoves } from "./moves.ts";
import { specFor } from "./policies.ts";
import { type DecodedRules, decodeRules } from "./rules.ts";
import type { LoadedSource } from "./source.ts";
import { sectionObjects, type WrittenObject } from "./zone-objects.ts";
import type { Report } from "./report.ts";

/** A zone, what its sources gave, and how to ask where a leaf comes from. */
export interface ResolvedZone {
  readonly zone: DesiredZone;
  readonly sources: readonly SourceCount[];
  origins(kind: KindName, key: string): ReadonlyMap<string, Origin>;
}

/** What the project file gives to every zone. */
export interface ProjectFacts {
  readonly sources: ReadonlyMap<string, LoadedSource>;
  readonly deletionLimits: ReadonlyMap<KindName, DeletionLimit>;
  readonly secretOf: SecretAtHand;
}

/** Works policies, exceptions and sources into what is wanted of one zone. Pure; undefined where the zone has no id or name. */
export function resolveZone(
  { root, file, isWhole }: LayeredZone,
  { sources, deletionLimits, secretOf }: ProjectFacts,
  todayMilliseconds: number,
  report: Report,
): ResolvedZone | undefined {
  const { zone, custom_hostnames: section } = root;
  const checks = decodeChecks(root.checks ?? [], report);
  const decoded = decodeRules(section, deniedLiveAuthorities(checks), todayMilliseconds, report);
  if (isWhole) checkLifecycle(root, report);
  const declared = declareHostnames(section ?? {}, decoded.rules, sources, report);
  const hostnames = hostnameObjects(declared, decoded, { file, isWhole }, secretOf, report);
  const ofSound: Report = (problem) => (isWhole || !ABSENCES.has(problem.code) ? report(problem) : undefined);
  const written = sectionObjects(root, todayMilliseconds, ofSound);
  if (isWhole && declared.isWhole) checkFacts(section ?? {}, decoded, declared, sources, report);

  if (!zone) return isWhole ? report(missingZone(placeOf(root))) : undefined;
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
    sources: declared.fed.map(({ source, ...fed }) => ({
      zone: name,
      source: source.name,
      ...fed,
      maxShrink: source.maxShrink,
      isConfirmed: source.isConfirmed,
      isProven: source.isProven,
      said: source.said,
      at: source.at,
    })),
    origins: (kind, key) => originsIn(kind, key, { declared, decoded, written, file }),
  };
}

function objectOf({ object }: WrittenObject): DesiredObject {
  return object;
}

/** Who creates and deletes has to be said: a default would either delete or not create (docs/semantics.md#lifecycle). */
function checkLifecycle(root: ZoneFile, report: Report): void {
  const { custom_hostnames: section } = root;
  if (!section || (section.lifecycle ?? undefined) !== undefined) return;
  report(
    error({
      code: "missing-lifecycle",
      message: "custom_hostnames does not say its lifecycle",
      remedy:
        "set lifecycle: zoneform (entries and rows are created and deleted) or lifecycle: app (the application does)",
      at: keyPlaceOf(root, "custom_hostnames"),
    }),
  );
}

function missingZone(at: Position): Diagnostic {
  return error({
    code: "missing-zone",
    message: "the file does not say which zone it is about",
    remedy: 'add zone: { id: "…", name: … }, or move the file out of zones if it is a layer',
    at,
  });
}

function originsIn(
  kind: KindName,
  key: string,
  {
    declared,
    decoded,
    written,
    file,
  }: { declared: DeclaredHostnames; decoded: DecodedRules; written: readonly WrittenObject[]; file: string },
): ReadonlyMap<string, Origin> {
  if (kind !== "custom_hostname") {
    const found = written.find(({ object }) => object.kind === kind && object.key === key);
    return found ? originsOfSection(found.section, file) : new Map();
  }
  const declaration = declared.byName.get(key);
  if (!declaration) return new Map();
  const spec: JsonObject = specFor(decoded.rules, declaration.facts, declaration.own);
  const writeOnly = kindNamed(kind).writeOnly;
  const isLeaf = (path: Path): boolean => writeOnly.includes(path.join("."));
  return originsOfHostname(spec, isLeaf, declaration, decoded, file);
}
