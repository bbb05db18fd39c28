import type { StateStores } from "../stores.ts";
import type { ProjectStore } from "../upkeep.ts";
import { type Sealing, sealedStore } from "./store.ts";

/** Stores whose lines nobody can read or change without the passphrase: see `sealedStore`. Claims stay readable. */
export function sealedStores(stores: StateStores, sealing: Sealing): StateStores {
  const sealed = new Map<string, ProjectStore>();

  function of(project: string): ProjectStore {
    const store = sealed.get(project) ?? sealedStore(stores.of(project), { ...sealing, project });
    sealed.set(project, store);
    return store;
  }

  return { ...stores, of };
}
