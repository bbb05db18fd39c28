import { problem, Refusal, refusal } from "../lib/core/diagnostic.ts";
import type { ProjectFlags, StateWriteFlags } from "./flags.ts";
import type { DesiredZone, LoadedProject } from "../lib/config/desired.ts";
import { defined } from "../lib/core/json.ts";
import { didYouMean } from "../lib/core/suggest.ts";
import { enterProject, type ProjectWorld, readProject, zonesOf } from "../lib/engine/world.ts";
import { lookUp, type Named } from "../lib/engine/look-up.ts";
import { parseTypedAddress, isHostname } from "../lib/kinds/registry.ts";
import { localAddress } from "../lib/plan/targets.ts";
import { editState, type State, type StateObject } from "../lib/state/state.ts";
import { beginState, loadState, type SavedState, saveState } from "../lib/state/load.ts";
import { type Lease, lockedAsRefusal, type WantedLock } from "../lib/state/lock.ts";
import type { ProjectStore } from "../lib/state/zone/store.ts";
import { type Context, print } from "./context.ts";
import { localWorld, projectOptions } from "./world.ts";
import { lockHolder } from "../lib/real/world.ts";
import { realRandom } from "../lib/real/clock.ts";
import { escape } from "../lib/report/escape/terminal.ts";

/** The selected zones of the project, and the world with their states. */
export interface StateZones {
  readonly world: Pick<ProjectWorld, "fs" | "project" | "stores" | "store" | "clock" | "random" | "env">;
  readonly project: LoadedProject;
  readonly zones: readonly DesiredZone[];
}

/** Reads the project, and the zones that the flags name; all zones if they name none. */
export async function readStateZones(context: Context, flags: ProjectFlags): Promise<StateZones> {
  const outer = localWorld(context, flags);
  const { project } = await readProject(outer, projectOptions(flags));
  return { world: await enterProject(outer, project), project, zones: zonesOf(project, flags.zone ?? []) };
}

/** The same for a command that concerns one zone. Throws `Refusal` if the flags do not select exactly one. */
export async function readOneStateZone(
  context: Context,
  flags: ProjectFlags,
): Promise<StateZones & { readonly zone: DesiredZone }> {
  const found = await readStateZones(context, flags);
  const [zone, ...others] = found.zones;
  if (zone && others.length === 0) return { ...found, zone };
  const names = found.zones.map(({ name }) => name).join(", ");
  const message = `this command needs one zone, and the project has several: ${names}`;
  throw refusal(problem("which-zone", { message }));
}

/** The states of the project's zones; undefined for a zone without one. */
export async function readStates(
  context: Context,
  flags: ProjectFlags,
): Promise<readonly { zone: DesiredZone; state: State | undefined }[]> {
  const { world, zones } = await readStateZones(context, flags);
  const states = [];
  for (const zone of zones) states.push({ zone, state: (await loadState(world.store, zone.id))?.state });
  return states;
}

/** A state to lock. */
interface LockedPlace extends Pick<WantedLock, "placeFlag"> {
  readonly store: ProjectStore;
  readonly zone: Pick<DesiredZone, "id"> & Partial<Pick<DesiredZone, "name">>;
}

/** Runs a function under a zone's lock. Throws `Refusal` with exit code 7 if another run holds it. */
export async function underLock<T>(
  context: Context,
  flags: StateWriteFlags,
  { store, zone, placeFlag }: LockedPlace,
  operation: string,
  act: (lease: Lease) => Promise<T>,
): Promise<T> {
  const waitMilliseconds = flags.lockTimeout * 1000;
  const lease = await store
    .lock(zone.id, lockHolder(context.env, operation), waitMilliseconds, context.signal)
    .catch(lockedAsRefusal({ zone: zone.name ?? zone.id, waitMilliseconds, ...defined({ placeFlag }) }));
  try {
    return await act(lease);
  } finally {
    await lease.release();
  }
}

/** Changes a zone's state under its lock, after the results of an interrupted run were folded in. */
export async function changeState(
  context: Context,
  flags: StateWriteFlags,
  { store, zone }: Pick<Tracked, "store" | "zone">,
  operation: string,
  change: (state: State) => State,
): Promise<SavedState> {
  return underLock(context, flags, { store, zone }, operation, async (lease) => {
    const saved = await beginState(store, lease, zone, realRandom);
    return saveState(store, lease, saved.version, change(saved.state));
  });
}

/** A tracked object. */
export interface Tracked {
  readonly store: ProjectStore;
  readonly zone: DesiredZone;
  readonly state: State;
  /** Without the zone's name. */
  readonly address: string;
  readonly object: StateObject;
  /**
   * The arguments of `zoneform import` that manage the object again; absent while it is unknown whether the object was
   * created.
   */
  readonly importArguments?: string;
  readonly importId?: string;
}

/**
 * Finds a tracked object by its address, in the zone that tracks it. Throws `Refusal` if no zone does, or several do.
 */
export async function trackedObject(context: Context, flags: ProjectFlags, text: string): Promise<Tracked> {
  const { world, project, zones } = await readStateZones(context, flags);
  const parts = parseTypedAddress(text);
  const address = parts && localAddress(parts.kind, parts.key ?? "");
  const states = new Map<DesiredZone, State>();
  for (const zone of zones) {
    const state = (await loadState(world.store, zone.id))?.state;
    if (state) states.set(zone, state);
  }
  // An object that is no longer declared must be found too: only the state knows its zone.
  const tracking = zones.filter((zone) => address !== undefined && states.get(zone)?.objects.has(address));
  const { zone, kind, key } = lookUp(
    { desired: { ...project.desired, zones: tracking.length > 0 ? tracking : zones } },
    text,
  );
  const state = states.get(zone);
  const object = state?.objects.get(localAddress(kind.name, key));
  if (!state || !object) throw notTracked(localAddress(kind.name, key), zone, state);
  return {
    store: world.store,
    zone,
    state,
    address: localAddress(kind.name, key),
    object,
    ...importOf(kind, zone, object),
  };
}

function importOf(
  kind: Named["kind"],
  zone: DesiredZone,
  object: StateObject,
): Pick<Tracked, "importArguments" | "importId"> {
  // It is unknown whether it was created, and under which id; a hostname can be found by its name.
  if (object.id === "") return isHostname(kind.name) ? { importArguments: `${zone.id}/${object.key}` } : {};
  const importId = kind.importId(zone.id, object);
  // The import id of a single object is that of its zone, and does not show which object is meant.
  return { importId, importArguments: kind.isSingle ? `${kind.name} ${importId}` : importId };
}

function notTracked(address: string, zone: DesiredZone, state: State | undefined): Refusal {
  const remedy = didYouMean(address, [...(state?.objects.keys() ?? [])]);
  const where = `the state of ${zone.name}`;
  return refusal(problem("not-tracked", { address, state: where }, { remedy }));
}

/** Removes an object from the state, under the zone's lock. */
export async function forgetObject(context: Context, flags: StateWriteFlags, tracked: Tracked): Promise<void> {
  await changeState(context, flags, tracked, "state rm", (state) => {
    const editor = editState(state);
    editor.delete(tracked.address);
    return editor.toState();
  });
}

/** Prints lines with foreign texts (addresses, marks of locks), which must not move the cursor or hide anything. */
export function printSafe(context: Context, text: string): void {
  print(context.stdout, text.split("\n").map(escape).join("\n"));
}
