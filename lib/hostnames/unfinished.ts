import type { ZoneId } from "../core/brand.ts";
import { loadState } from "../state/load.ts";
import type { StateStore } from "../state/store.ts";

/** Objects that a run began to change, and that no run is changing any more. */
export interface Unfinished {
  readonly runs: readonly string[];
  readonly addresses: readonly string[];
}

/** What a run that was stopped left unfinished in a zone; undefined for nothing, and where a run may be going on. */
export async function unfinishedIn(store: StateStore, zone: ZoneId): Promise<Unfinished | undefined> {
  const open = (await loadState(store, zone))?.open ?? [];
  if (open.length === 0) return undefined;
  const holding = await store.holding(zone);
  if (holding && holding.isAlive !== false) return undefined;
  return {
    runs: [...new Set(open.map(({ run }) => run))],
    addresses: [...new Set(open.map(({ address }) => address))],
  };
}
