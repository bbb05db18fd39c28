import { error, type Position, problem } from "../core/diagnostic.ts";
import { posix } from "node:path";
import { validated } from "../core/brand.ts";
import { isList, isObject, type JsonObject } from "../core/json.ts";
import { locate, type ProjectFolder, type ProjectPath } from "./files.ts";
import type { ZoneFile } from "./document-types.ts";
import {
  type Document,
  keyPlaceOf,
  listOf,
  type Located,
  lostOf,
  mapOf,
  membersOf,
  placeOf,
  type Steps,
} from "./document.ts";
import type { Report } from "./report.ts";

/** A deeper stack of layers is a mistake. */
const MOST_LEVELS = 8;

/** More layers below one zone file are a mistake too, even if they do not use each other. */
const MOST_LAYERS = 100;

/** A zone file merged with its layers. */
export interface LayeredZone {
  readonly file: string;
  readonly root: ZoneFile;
  /** Whether every layer could be read to its end; parts that the schema refused are known (`isLost`). */
  readonly isWhole: boolean;
}

/** Reads and validates a zone file or layer; reads each path once. */
export type ReadZoneFile = (file: ProjectPath) => Promise<Document<ZoneFile>>;

/**
 * Merges a zone file with the layers of its `use` (docs/semantics.md#layers-and-exceptions): the first one is the
 * lowest, and a layer may use layers itself. A layer that is used twice counts at its first place. Every value keeps
 * its position. Undefined if the zone file itself could not be read.
 */
export async function withLayers(
  project: ProjectFolder,
  zoneFile: ProjectPath,
  read: ReadZoneFile,
  report: Report,
): Promise<LayeredZone | undefined> {
  const seen = new Set<string>();
  const stack: ZoneFile[] = [];
  let isWhole = true;

  const visit = async (file: ProjectPath, open: readonly string[]): Promise<void> => {
    if (seen.has(file.name)) return;
    const { value: root, isWhole: isSound } = await read(file);
    isWhole &&= isSound;
    const uses = root?.use ?? [];
    for (const [index, used] of uses.entries()) {
      const layer = await locateLayer(used, placeOf(uses, index), file.name, [...open, file.name]);
      if (layer) await visit(layer, [...open, file.name]);
      else isWhole = false;
    }
    seen.add(file.name);
    if (!root) return;
    if (open.length > 0) refuseZone(root, report);
    stack.push(open.length > 0 ? withoutZone(root) : root);
  };

  const locateLayer = async (
    used: string,
    at: Position,
    from: string,
    open: readonly string[],
  ): Promise<ProjectPath | undefined> => {
    const found = await locate(project, posix.dirname(from), used, at, report);
    if (!found) return undefined;
    if (open.includes(found.name))
      return report(error(problem("layer-cycle", { name: JSON.stringify(found.name) }, { at })));
    const limit =
      open.length > MOST_LEVELS
        ? `${MOST_LEVELS} layers use each other`
        : seen.size > MOST_LAYERS
          ? `${MOST_LAYERS} layers in one zone file`
          : undefined;
    if (limit !== undefined) return report(error(problem("too-many-layers", { limit }, { at })));
    return found;
  };

  const { value } = await read(zoneFile);
  await visit(zoneFile, []);
  if (!value) return undefined;
  const root = stack.reduce((below, above) => validated<ZoneFile>(mergeMaps(below, above, [])));
  return { file: zoneFile.name, root, isWhole };
}

/** Lists of named things are joined; every other list is replaced. */
const STACKED = new Set([
  "checks",
  "forget",
  "moved",
  "custom_hostnames.entries",
  "custom_hostnames.from",
  "custom_hostnames.policies",
  "custom_hostnames.exceptions",
]);

function mergeMaps(below: JsonObject, above: JsonObject, path: Steps): JsonObject {
  const merged = new Map(membersOf(below));
  for (const [key, member] of membersOf(above)) {
    const under = merged.get(key);
    merged.set(key, under ? mergeMembers(under, member, [...path, key]) : member);
  }
  return mapOf(merged, placeOf(above), [...lostOf(below), ...lostOf(above)]);
}

function mergeMembers(below: Located, above: Located, path: Steps): Located {
  const { value } = above;
  // Null means unmanaged, in a layer as everywhere (docs/semantics.md#ownership).
  if (value === null) return below;
  if (isObject(below.value) && isObject(value) && !isReference(path)) {
    return above.withValue(mergeMaps(below.value, value, path));
  }
  if (isList(below.value) && isList(value) && STACKED.has(path.join("."))) {
    const items = [...membersOf(below.value), ...membersOf(value)].map(([, item]) => item);
    return above.withValue(listOf(items, above.at, [...lostOf(below.value), ...lostOf(value)]));
  }
  return above;
}

/** A reference to a secret is one value: `{ env }` over `{ file }` replaces it. */
function isReference(path: Steps): boolean {
  return path.at(-1) === "custom_certificate" || path.at(-1) === "custom_key";
}

function withoutZone(root: ZoneFile): ZoneFile {
  const kept = membersOf(root).filter(([key]) => key !== "zone");
  return validated<ZoneFile>(mapOf(kept, placeOf(root), lostOf(root)));
}

function refuseZone(root: ZoneFile, report: Report): void {
  if (!root.zone) return;
  report(error(problem("layer-names-zone", {}, { at: keyPlaceOf(root, "zone") })));
}
