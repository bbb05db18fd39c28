import type { DesiredZone } from "./config/desired.ts";
import { type ProjectOptions, readProject, type World, zonesOf } from "./engine.ts";
import { localAddress } from "./plan/targets.ts";
import type { ExportedObject } from "./render/hcl-export.ts";
import { kindIfNamed } from "./resources/registry.ts";
import { successorKey } from "./resources/retired.ts";
import { loadState } from "./state/load.ts";
import type { StateObject } from "./state/state.ts";

/**
 * What is tracked, zone by zone, with the values that are wanted of it. Reads the configuration and the states, and
 * calls nobody. Throws `Refusal`, `StateError`.
 */
export async function exportedObjects(
  world: Pick<World, "fs" | "env" | "clock" | "store">,
  options: ProjectOptions,
): Promise<readonly ExportedObject[]> {
  const { project } = await readProject(world, options);
  const found: ExportedObject[] = [];
  for (const zone of zonesOf(project, options.zones ?? [])) {
    const state = (await loadState(world.store, zone.id))?.state;
    const declared = new Map(zone.objects.map((object) => [localAddress(object.kind, object.key), object]));
    for (const [address, object] of state?.objects ?? []) {
      const exported = exportedObject(zone, object, declared.get(address));
      if (exported) found.push(exported);
    }
  }
  return found;
}

/** Undefined for what is about to go, and for what nobody has seen live yet. */
function exportedObject(
  zone: DesiredZone,
  { kind: name, key, id, applied, pending }: StateObject,
  declared: DesiredZone["objects"][number] | undefined,
): ExportedObject | undefined {
  const kind = kindIfNamed(name);
  if (!kind || id === "" || pending || (kind.createsBeforeDelete && successorKey(key) !== undefined)) return undefined;
  return {
    zone: { id: zone.id, name: zone.name },
    kind: kind.name,
    key,
    importId: kind.importId(zone.id, { id }),
    values: declared?.spec ?? applied,
    writeOnly: kind.writeOnly,
    isShared: declared?.options["own"] !== undefined,
  };
}
