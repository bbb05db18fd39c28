import { type Diagnostic, warning } from "../core/diagnostic.ts";
import { shellQuoted } from "../core/shell.ts";
import type { ZoneId } from "../core/brand.ts";
import { type Lease, StoreConflict } from "./store.ts";
import type { StateStores } from "./stores.ts";
import { withStores } from "./with-stores.ts";
import type { ProjectStore } from "./upkeep.ts";

/**
 * Stores whose leases can always be given back. What was done under a lock is done, so a failure is no error of the
 * command; but the lock may stay, and who is told can unlock the state.
 */
export function announcingKeptLocks(stores: StateStores, tell: (found: Diagnostic) => void): StateStores {
  return withStores(stores, (store) => announcingStore(store, tell));
}

function announcingStore(store: ProjectStore, tell: (found: Diagnostic) => void): ProjectStore {
  return {
    ...store,
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const lease = await store.lock(zone, holder, waitMilliseconds, signal);
      const release = (): Promise<void> =>
        lease.release().catch((thrown: unknown) => {
          // A lock that somebody else has by now is not ours to free.
          if (!(thrown instanceof StoreConflict)) tell(notFreed(zone, lease, thrown));
        });
      return { ...lease, release };
    },
  };
}

function notFreed(zone: ZoneId, { id }: Lease, thrown: unknown): Diagnostic {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return warning({
    code: "lock-not-freed",
    message: `the state of zone ${zone} may still be locked: ${reason}`,
    remedy: "once that is put right, unlock it:",
    commands: [`zoneform state unlock ${shellQuoted(id)} --zone ${zone}`],
  });
}
