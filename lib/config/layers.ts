import { posix } from "node:path";
import { type Diagnostic, error, formatPosition, type Position } from "../core/diagnostic.ts";
import { locate, type ProjectFolder, type ProjectPath } from "./files.ts";
import { child, items, type MapEntry, type MapNode, type Node, type NodePath, textOf } from "./node.ts";
import type { ValidatedFile } from "./validate.ts";
import type { Report } from "./report.ts";

/** More layers on top of each other are a mistake. */
const MOST_LEVELS = 8;

/** And so are more layers than this below one zone file, however flat. */
const MOST_LAYERS = 100;

/** A zone file with its layers worked in. */
export interface Layered {
  readonly file: string;
  /** Absent where the zone file itself could not be read. */
  readonly root?: MapNode;
  /** Whether every part of every layer was sound, so that what is missing is really missing. */
  readonly isWhole: boolean;
}

/** Reads and validates a zone file or layer; the same path gives the same answer. */
export type ReadZoneFile = (file: ProjectPath) => Promise<ValidatedFile>;

/**
 * Works the layers of `use` in below a zone file (docs/semantics.md#layers-and-exceptions): the first is the lowest, and
 * a layer may itself use layers. A layer that is met twice counts where it is met first. Every value keeps its place.
 */
export async function withLayers(
  project: ProjectFolder,
  zoneFile: ProjectPath,
  read: ReadZoneFile,
  report: Report,
): Promise<Layered> {
  const seen = new Set<string>();
  const stack: MapNode[] = [];
  let isWhole = true;

  const visit = async (file: ProjectPath, open: readonly string[]): Promise<void> => {
    if (seen.has(file.name)) return;
    const { root, isWhole: isSound } = await read(file);
    isWhole &&= isSound;
    for (const used of items(child(root, "use"))) {
      const layer = await locateLayer(used, file.name, [...open, file.name]);
      if (layer) await visit(layer, [...open, file.name]);
      else isWhole = false;
    }
    seen.add(file.name);
    if (!root) return;
    if (open.length > 0) refuseZone(root, report);
    stack.push(open.length > 0 ? withoutKey(root, "zone") : root);
  };

  const locateLayer = async (used: Node, from: string, open: readonly string[]): Promise<ProjectPath | undefined> => {
    const located = await locate(project, posix.dirname(from), textOf(used) ?? "", used.at);
    if ("diagnostic" in located) return report(located.diagnostic);
    if (open.includes(located.found.name)) return report(layerCycle(located.found.name, used.at));
    if (open.length > MOST_LEVELS) return report(tooManyLayers(used.at, `${MOST_LEVELS} layers on top of each other`));
    if (seen.size > MOST_LAYERS) return report(tooManyLayers(used.at, `${MOST_LAYERS} layers below one zone file`));
    return located.found;
  };

  const { root } = await read(zoneFile);
  await visit(zoneFile, []);
  if (!root) return { file: zoneFile.name, isWhole: false };
  const merged = stack.reduce((below, above) => mergeMaps(below, above, []));
  return { file: zoneFile.name, root: { ...merged, at: root.at }, isWhole };
}

/** Lists of named things grow from layer to layer; every other list is replaced. */
const STACKED = new Set([
  "checks",
  "forget",
  "moved",
  "custom_hostnames.entries",
  "custom_hostnames.from",
  "custom_hostnames.policies",
  "custom_hostnames.exceptions",
]);

function mergeMaps(below: MapNode, above: MapNode, path: NodePath): MapNode {
  const merged = new Map<string, MapEntry>(below.entries);
  for (const [key, entry] of above.entries) {
    const under = merged.get(key);
    merged.set(key, under ? mergeEntries(under, entry, [...path, key]) : entry);
  }
  return { ...above, entries: merged };
}

function mergeEntries(below: MapEntry, above: MapEntry, path: NodePath): MapEntry {
  const { value } = above;
  // Null is no opinion, in a layer as everywhere (docs/semantics.md#ownership).
  if (value.kind === "scalar" && value.value === null) return below;
  if (below.value.kind === "map" && value.kind === "map" && !isReference(path)) {
    return { ...above, value: mergeMaps(below.value, value, path) };
  }
  if (below.value.kind === "list" && value.kind === "list" && STACKED.has(path.join("."))) {
    return { ...above, value: { ...value, items: [...below.value.items, ...value.items] } };
  }
  return above;
}

/** A reference to a secret is one value: `{ env }` over `{ file }` replaces it. */
function isReference(path: NodePath): boolean {
  return path.at(-1) === "custom_certificate" || path.at(-1) === "custom_key";
}

function withoutKey(map: MapNode, key: string): MapNode {
  return { ...map, entries: new Map([...map.entries].filter(([name]) => name !== key)) };
}

function refuseZone(root: MapNode, report: Report): void {
  const zone = root.entries.get("zone");
  if (!zone) return;
  report(
    error({
      code: "layer-names-zone",
      message: "this file is used as a layer, and a layer belongs to no zone",
      remedy: "remove zone: here, or put what is shared into a file of its own",
      at: zone.keyAt,
    }),
  );
}

function layerCycle(name: string, at: Position): Diagnostic {
  return error({
    code: "layer-cycle",
    message: `${JSON.stringify(name)} is a layer of itself, by way of ${formatPosition(at)}`,
    remedy: "remove one of the use: entries of the circle",
    at,
  });
}

function tooManyLayers(at: Position, limit: string): Diagnostic {
  return error({
    code: "too-many-layers",
    message: `there are more than ${limit}`,
    remedy: "use fewer layers",
    at,
  });
}
