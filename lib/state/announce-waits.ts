import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import type { Holding, LockHolder } from "./store.ts";
import type { StateStores } from "./stores.ts";
import { withStores } from "./with-stores.ts";
import type { ProjectStore } from "./upkeep.ts";

/** A run that waits for a lock. */
export interface LockWait {
  readonly zone: ZoneId;
  readonly holding: Holding;
  /** How long the run waits for one that lives. */
  readonly waitMilliseconds: number;
}

/** Whoever waits longer than this is told why. */
const SILENT_MILLISECONDS = 1000;

/** Stores that tell, once for each lock that is not there at once, who holds it and how long they wait at most. */
export function announcingWaits(stores: StateStores, clock: Clock, tell: (wait: LockWait) => void): StateStores {
  return withStores(stores, (store) => announcingStore(store, clock, tell));
}

function announcingStore(store: ProjectStore, clock: Clock, tell: (wait: LockWait) => void): ProjectStore {
  /** What cannot be found out is not said: the wait itself reports what is wrong. */
  async function announce(
    zone: ZoneId,
    wish: Omit<LockHolder, "id">,
    limit: number,
    ended: AbortSignal,
  ): Promise<void> {
    await clock.sleep(SILENT_MILLISECONDS, ended);
    const holding = await store.holding(zone);
    if (ended.aborted || !holding || isTakenAtOnce(holding) || isOwn(holding, wish)) return;
    tell({ zone, holding, waitMilliseconds: limit });
  }

  return {
    ...store,
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const ended = new AbortController();
      announce(zone, holder, waitMilliseconds, ended.signal).catch(() => undefined);
      try {
        return await store.lock(zone, holder, waitMilliseconds, signal);
      } finally {
        ended.abort();
      }
    },
  };
}

/** Nobody waits for a dead run, except to see that it does not renew its lock any more. */
function isTakenAtOnce({ isAlive, renewal }: Holding): boolean {
  return isAlive === false && !renewal;
}

/** The lock may be ours by now, and something else takes the time. */
function isOwn({ holder }: Holding, wish: Omit<LockHolder, "id">): boolean {
  return holder?.who === wish.who && holder.processId === wish.processId && holder.since === wish.since;
}
