import { withStores } from "../with-stores.ts";
import type { StateStores } from "../stores.ts";
import { type Sealing, sealedStore } from "./store.ts";

/** Stores whose lines nobody can read or change without the passphrase: see `sealedStore`. Claims stay readable. */
export function sealedStores(stores: StateStores, sealing: Omit<Sealing, "project">): StateStores {
  return withStores(stores, (store, project) => sealedStore(store, { ...sealing, project }));
}
