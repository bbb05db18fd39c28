import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { type Sealing, sealedEngine } from "../../lib/state/zone/sealing/engine.ts";

/** The same store with some of its methods replaced, to count calls or to make them fail. */
export function changedStore(store: ProjectStore, changes: Partial<ProjectStore>): ProjectStore {
  const changed: ProjectStore = Object.create(store);
  for (const [name, value] of Object.entries(changes)) Object.defineProperty(changed, name, { value });
  return changed;
}

/** The same states with encrypted lines. */
export function sealedStore(store: ProjectStore, sealing: Sealing): ProjectStore {
  return store.over((engine) => sealedEngine(engine, sealing));
}
