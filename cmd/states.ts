import type { DesiredZone } from "../lib/config/desired.ts";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import { didYouMean } from "../lib/core/suggest.ts";
import { readProject, zonesOf } from "../lib/engine.ts";
import { lockedAsRefusal } from "../lib/import.ts";
import { lookUp } from "../lib/look-up.ts";
import { localAddress } from "../lib/plan/targets.ts";
import { editState } from "../lib/state/edit.ts";
import { beginState, loadState, saveState } from "../lib/state/load.ts";
import type { State, StateObject } from "../lib/state/state.ts";
import type { Context, ProjectFlags } from "./context.ts";
import { projectOptions } from "./project.ts";
import { localWorld, lockHolder } from "./world.ts";

/** The states of the project's zones; undefined for a zone that has none yet. */
export async function statesOf(
  context: Context,
  flags: ProjectFlags,
): Promise<readonly { zone: DesiredZone; state: State | undefined }[]> {
  const world = localWorld(context, flags);
  const { project } = await readProject(world, projectOptions(flags));
  const states = [];
  for (const zone of zonesOf(project, flags.zone ?? []))
    states.push({ zone, state: (await loadState(world.store, zone.id))?.state });
  return states;
}

/** An object that is tracked. */
export interface Tracked {
  readonly zone: DesiredZone;
  /** Without the zone's name. */
  readonly address: string;
  readonly object: StateObject;
  /** What `zoneform import` wants, to take the object back. */
  readonly importArguments: string;
  readonly importId: string;
}

/** Finds a tracked object by its address. Throws `Refusal` where it is not tracked. */
export async function trackedObject(context: Context, flags: ProjectFlags, text: string): Promise<Tracked> {
  const world = localWorld(context, flags);
  const { project } = await readProject(world, projectOptions(flags));
  const { zone, kind, key } = lookUp(project, text);
  const state = (await loadState(world.store, zone.id))?.state;
  const address = localAddress(kind.name, key);
  const object = state?.objects.get(address);
  const importId = kind.importId(zone.id, object ?? { id: "" });
  // The id of a single object is that of its zone, and does not say which object is meant.
  const importArguments = kind.isSingle ? `${kind.name} ${importId}` : importId;
  if (object) return { zone, address, object, importId, importArguments };
  const known = [...(state?.objects.keys() ?? [])];
  const remedy = didYouMean(address, known) || "zoneform state list shows what is tracked";
  throw new Refusal([error({ code: "not-tracked", message: `${address} is not tracked in ${zone.name}`, remedy })]);
}

/** Takes an object out of the state, under the zone's lock. */
export async function forgetObject(
  context: Context,
  flags: ProjectFlags & { lockTimeout: number },
  tracked: Tracked,
): Promise<void> {
  const { store, random } = localWorld(context, flags);
  const { zone, address } = tracked;
  const lease = await store
    .lock(zone.id, lockHolder(context, "state rm"), flags.lockTimeout * 1000, context.signal)
    .catch(lockedAsRefusal);
  try {
    const saved = await beginState(store, lease, zone, random);
    const editor = editState(saved.state);
    editor.delete(address);
    await saveState(store, lease, saved.version, editor.toState());
  } finally {
    await lease.release();
  }
}
