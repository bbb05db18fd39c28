import type { ZoneId } from "../core/brand.ts";
import type { JournalRecord } from "../state/record.ts";
import type { StateStore } from "../state/store.ts";

/** Objects that a run began to change, and that no run is changing any more. */
export interface Unfinished {
  readonly runs: readonly string[];
  readonly addresses: readonly string[];
}

/** What of a zone's open intents a stopped run left unfinished; undefined for nothing, and where a run may be going on. */
export async function unfinishedIn(
  store: StateStore,
  zone: ZoneId,
  open: readonly JournalRecord[],
): Promise<Unfinished | undefined> {
  if (open.length === 0) return undefined;
  const holding = await store.holding(zone);
  if (holding && holding.isAlive !== false) return undefined;
  return {
    runs: [...new Set(open.map(({ run }) => run))],
    addresses: [...new Set(open.map(({ address }) => address))],
  };
}
