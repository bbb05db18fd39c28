import type { StateStores } from "./stores.ts";
import type { ProjectStore } from "./upkeep.ts";

/** The same place with each project's store wrapped: once for each project, however often it is asked for. */
export function withStores(
  stores: StateStores,
  wrap: (store: ProjectStore, project: string) => ProjectStore,
): StateStores {
  const wrapped = new Map<string, ProjectStore>();
  return {
    ...stores,
    of: (project) => {
      const store = wrapped.get(project) ?? wrap(stores.of(project), project);
      wrapped.set(project, store);
      return store;
    },
  };
}
