import { memoryStores } from "../../lib/real/project.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";

/** Stores that return the same store for every project, for tests with one project. */
export function oneStore(store: ProjectStore): StateStores {
  return {
    ...memoryStores(),
    of: () => store,
    kept: async () => [],
    describe: () => "the store of the test",
    over: (wrap) => oneStore(store.over(wrap)),
  };
}
