import type { ZoneId } from "../core/brand.ts";
import type { Random } from "../core/clock.ts";
import { collected, streamed } from "../core/streams.ts";
import { LAST_WRITE } from "./last-write.ts";
import { beginState, loadState, saveState } from "./load.ts";
import { condenseObservations } from "./observations.ts";
import type { Lease, StateStore } from "./store.ts";

/**
 * How many records lie beside a zone's state; undefined where there is no state. Reads all of it to the end, so that
 * what cannot be written anew is known before anything is. Throws `StateError` for what cannot be read.
 */
export async function rewritable(store: StateStore, zone: ZoneId): Promise<number | undefined> {
  if (!(await loadState(store, zone))) return undefined;
  const names = await listRecords(store, zone);
  for (const name of names) {
    const lines = await store.kept(zone, name);
    if (lines) await collected(lines);
  }
  return names.length;
}

/**
 * Writes a zone's state and the records beside it anew, as the store writes by now: what an interrupted run left is folded
 * in, and what runs saw of hostnames is condensed. Gives how many records there were; undefined where there was no state. Earlier copies stay as they were. Throws
 * `StateError` for what cannot be read, before anything is written.
 */
export async function rewriteState(
  { store, random }: { readonly store: StateStore; readonly random: Random },
  zone: { readonly id: ZoneId; readonly name: string },
  lease: Lease,
): Promise<number | undefined> {
  if ((await rewritable(store, zone.id)) === undefined) return undefined;
  const saved = await beginState(store, lease, zone, random);
  await saveState(store, lease, saved.version, saved.state);
  const names = await listRecords(store, zone.id);
  for (const name of names) {
    const lines = await store.kept(zone.id, name);
    // Whole before it is written over: it is read from the file that takes its place.
    if (lines) await store.keep(zone.id, lease, name, streamed(await collected(lines)));
  }
  await condenseObservations(store, zone.id);
  return names.length;
}

/** The record of the last write is not among them: it is written anew with the state. */
async function listRecords(store: StateStore, zone: ZoneId): Promise<readonly string[]> {
  return (await store.names(zone)).filter((name) => name !== LAST_WRITE);
}
