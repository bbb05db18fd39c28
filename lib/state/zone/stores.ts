import type { Engine } from "../engine.ts";
import type { Contender } from "../shared-value.ts";
import type { StateStores } from "../stores.ts";
import type { ProjectStore } from "../upkeep.ts";
import { sharedClaims } from "./claims.ts";
import { zoneStore } from "./store.ts";
import { keptZones } from "./entries.ts";

/** The states of projects on an engine. */
export function zoneStores(engine: Engine, contender: Contender): StateStores {
  const stores = new Map<string, ProjectStore>();
  return {
    of: (project) => {
      const store = stores.get(project) ?? zoneStore(engine, project, contender.clock);
      stores.set(project, store);
      return store;
    },
    kept: () => keptZones(engine),
    claims: sharedClaims(engine, contender),
    shared: (name) => engine.shared(name),
    describe: () => engine.describe(),
    close: () => engine.close(),
  };
}
