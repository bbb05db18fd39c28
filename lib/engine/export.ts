import type { DesiredObject, DesiredZone } from "../config/desired.ts";
import { objects } from "../core/decode.ts";
import { valueAt } from "../core/json.ts";
import { enterProject, type ProjectOptions, type ReadProject, withProject, type World, zonesOf } from "./world.ts";
import { localAddress } from "../plan/targets.ts";
import { refresh } from "../refresh/refresh.ts";
import type { Exported } from "../kinds/hcl.ts";
import type { KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindIfNamed } from "../kinds/registry.ts";
import { successorKey } from "../kinds/retired.ts";
import { loadState } from "../state/load.ts";
import type { StateObject } from "../state/state.ts";

/**
 * A tracked object for export: all its values, with secrets as references, or as fingerprints if only the state has
 * them.
 */
export interface ExportedObject extends Exported {
  readonly kind: KindName;
  /** Whether it exists live. */
  readonly isLive: boolean;
  /** How many foreign rules it has. */
  readonly foreignRules: number;
}

/**
 * The tracked objects, zone by zone, each complete: declared values, and live ones for everything undeclared. Reads the
 * configuration, the states and live. Throws what the client throws, `Refusal`, `StateError`.
 */
export async function exportedObjects(world: World, options: ProjectOptions): Promise<readonly ExportedObject[]> {
  return withProject(world, options, (read) => exportedFrom(world, read, options));
}

async function exportedFrom(
  world: World,
  { project }: ReadProject,
  options: ProjectOptions,
): Promise<readonly ExportedObject[]> {
  const client = world.connect(project.desired.budget);
  const { store } = await enterProject(world, project);
  const found: ExportedObject[] = [];
  for (const zone of zonesOf(project, options.zones ?? [])) {
    const state = (await loadState(store, zone.id))?.state;
    if (!state) continue;
    const live = await refresh(client, zone, state, world.signal);
    const declared = new Map(zone.objects.map((object) => [localAddress(object.kind, object.key), object]));
    for (const [address, object] of state.objects) {
      const kind = kindIfNamed(object.kind);
      const seen = kind && live.objects.get(kind.name)?.get(object.key);
      const exported = exportedObject(zone, object, declared.get(address), seen);
      if (exported) found.push(exported);
    }
  }
  return found;
}

/** Undefined for an object that is about to be deleted, and for one that was never seen live. */
function exportedObject(
  zone: DesiredZone,
  { kind: name, key, id, applied, pending }: StateObject,
  declared: DesiredObject | undefined,
  live: Live | undefined,
): ExportedObject | undefined {
  const kind = kindIfNamed(name);
  if (!kind || id === "" || pending || (kind.replacement === "create-first" && successorKey(key) !== undefined))
    return undefined;
  const about = { zone: { id: zone.id, name: zone.name }, kind: kind.name, key, writeOnly: kind.writeOnly };
  if (!live) return { ...about, id, isLive: false, values: {}, foreignRules: 0, isShown: () => false };
  // Undeclared values stay as they are, and so do foreign rules.
  const sides = declared
    ? { desired: declared.values, prior: applied, options: declared.options }
    : { desired: applied, prior: undefined, options: { own: [] } };
  const values = kind.whole({ ...sides, live });
  return {
    ...about,
    id: live.id,
    isLive: true,
    values,
    foreignRules: objects(values, "rules").length - objects(sides.desired, "rules").length,
    isShown: (path) => valueAt(live.values, path) !== undefined,
  };
}
