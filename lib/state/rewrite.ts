import type { ZoneId } from "../core/brand.ts";
import type { Random } from "../core/clock.ts";
import { collected, streamed } from "../core/streams.ts";
import { beginState, loadState, saveState } from "./load.ts";
import type { Lease, StateStore } from "./store.ts";

/**
 * Writes a zone's state and the records beside it anew, as the store writes by now: what an interrupted run left is folded
 * in. Gives whether there was a state. Earlier copies stay as they were. Throws `StateError` for what cannot be read.
 */
export async function rewritten(
  { store, random }: { readonly store: StateStore; readonly random: Random },
  zone: { readonly id: ZoneId; readonly name: string },
  lease: Lease,
): Promise<boolean> {
  if (!(await loadState(store, zone.id))) return false;
  const saved = await beginState(store, lease, zone, random);
  await saveState(store, lease, saved.version, saved.state);
  for (const name of await store.names(zone.id)) {
    const lines = await store.kept(zone.id, name);
    // Whole before it is written over: it is read from the file that takes its place.
    if (lines) await store.keep(zone.id, lease, name, streamed(await collected(lines)));
  }
  return true;
}
