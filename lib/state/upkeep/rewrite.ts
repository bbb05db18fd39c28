import type { ZoneId } from "../../core/brand.ts";
import type { Random } from "../../core/clock.ts";
import { collected, streamed } from "../../core/lists.ts";
import { LAST_WRITE } from "../trail.ts";
import { beginState, loadState, saveState } from "../load.ts";
import { condenseObservations } from "../observations.ts";
import type { Lease } from "../lock.ts";
import type { ProjectStore } from "../zone/store.ts";
import type { ZoneView } from "../zone/view.ts";

/**
 * How many records are beside a zone's state; undefined if there is no state. Reads all of them to the end, so that an
 * unreadable one is found before anything is rewritten. Throws `StateError` for what cannot be read.
 */
export async function rewritable(store: ProjectStore, zone: ZoneId): Promise<number | undefined> {
  if (!(await loadState(store, zone))) return undefined;
  const view = await store.view(zone);
  const names = listRecords(view);
  for (const name of names) {
    const lines = view.kept(name);
    if (lines) await collected(lines);
  }
  return names.length;
}

/**
 * Rewrites a zone's state and the records beside it with the store's present encryption. Folds in what an interrupted
 * run left, and condenses the observed hostnames. Returns how many records there were; undefined if there was no state.
 * Earlier copies stay as they were. Throws `StateError` for what cannot be read, before it writes anything.
 */
export async function rewriteState(
  { store, random }: { readonly store: ProjectStore; readonly random: Random },
  zone: { readonly id: ZoneId; readonly name: string },
  lease: Lease,
): Promise<number | undefined> {
  if ((await rewritable(store, zone.id)) === undefined) return undefined;
  const saved = await beginState(store, lease, zone, random);
  await saveState(store, lease, saved.version, saved.state);
  const names = listRecords(await store.view(zone.id));
  for (const name of names) {
    const lines = (await store.view(zone.id)).kept(name);
    // Read completely first, because it comes from the file that is replaced.
    if (lines) await store.keep(zone.id, lease, name, streamed(await collected(lines)));
  }
  await condenseObservations(store, zone.id);
  return names.length;
}

/** Leaves out the record of the last write, which is rewritten with the state. */
function listRecords({ names }: ZoneView): readonly string[] {
  return names.filter((name) => name !== LAST_WRITE);
}
