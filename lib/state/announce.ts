import { problem } from "../core/problem.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import { shellQuoted } from "../core/shell.ts";
import type { Engine, ZoneKey } from "./engine.ts";
import { type Holding, type Lease, type LockHolder, StoreConflict } from "./lock.ts";
import type { StateStores } from "./stores.ts";

/** A run that waits for a lock. */
export interface LockWait {
  readonly zone: ZoneId;
  readonly holding: Holding;
  /** How long it waits at most for a live holder. */
  readonly waitMilliseconds: number;
}

/** A wait longer than this is announced with its reason. */
const SILENT_MILLISECONDS = 1000;

/** Stores that report each lock that is not free at once: its holder, and how long the run waits at most. */
export function announcingWaits(stores: StateStores, clock: Clock, tell: (wait: LockWait) => void): StateStores {
  return stores.over((engine) => {
    /** If the holder cannot be read, it announces nothing: the wait itself reports the error. */
    async function announce(
      key: ZoneKey,
      wish: Omit<LockHolder, "id">,
      waitMilliseconds: number,
      ended: AbortSignal,
    ): Promise<void> {
      await clock.sleep(SILENT_MILLISECONDS, ended);
      const holding = await engine.holding(key);
      if (ended.aborted || !holding || isTakenAtOnce(holding) || isOwn(holding, wish)) return;
      tell({ zone: key.zone, holding, waitMilliseconds });
    }

    const lock: Engine["lock"] = async (key, holder, waitMilliseconds, signal) => {
      const ended = new AbortController();
      announce(key, holder, waitMilliseconds, ended.signal).catch(() => undefined);
      try {
        return await engine.lock(key, holder, waitMilliseconds, signal);
      } finally {
        ended.abort();
      }
    };
    return { ...engine, lock };
  });
}

/** A dead holder is waited for only to see that it no longer renews its lock. */
function isTakenAtOnce({ isAlive, renewal }: Holding): boolean {
  return isAlive === false && !renewal;
}

/** The lock may be ours by now, while a later step takes the time. */
function isOwn({ holder }: Holding, wish: Omit<LockHolder, "id">): boolean {
  return holder?.who === wish.who && holder.processId === wish.processId && holder.since === wish.since;
}

/**
 * Stores that report a lock that could not be freed instead of failing. The work under the lock is done, so the command
 * has not failed; but the lock may stay, and the user can unlock the state.
 */
export function announcingKeptLocks(stores: StateStores, tell: (found: Diagnostic) => void): StateStores {
  return stores.over((engine) => ({
    ...engine,
    lock: async (key, holder, waitMilliseconds, signal) => {
      const taken = await engine.lock(key, holder, waitMilliseconds, signal);
      const { lease } = taken;
      const release = (): Promise<void> =>
        lease.release().catch((thrown: unknown) => {
          // If another run has the lock by now, it is not ours to free.
          if (!(thrown instanceof StoreConflict)) tell(notFreed(key.zone, lease, thrown));
        });
      return { ...taken, lease: { ...lease, release } };
    },
  }));
}

function notFreed(zone: ZoneId, { id }: Lease, thrown: unknown): Diagnostic {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return warning(problem("lock-not-freed", { zone, reason, id: shellQuoted(id) }));
}
