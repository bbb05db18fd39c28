import type { Claims } from "./zone/claims.ts";
import type { Shared, ZoneKey } from "./engine.ts";
import type { ProjectStore } from "./upkeep.ts";

/** Where the states of projects live: a folder, a schema of a database, a part of a bucket, a server. Two projects never see each other's. */
export interface StateStores {
  /** The states of one project, by its name in `zoneform.yaml`. Nothing is made before the first write. */
  of(project: string): ProjectStore;
  /** The zones of all projects for which something is kept, in order: for a caller that did not find the state of its own. */
  kept(): Promise<readonly ZoneKey[]>;
  /** What each project claims, so that no two of them manage the same thing. */
  readonly claims: Claims;
  /** A text that all projects of the place share; the name is a word. */
  shared(name: string): Shared;
  /** The address of the place, as `--state` takes it; for messages: never a password. */
  describe(): string;
  /** Closes the connections, if there are any. */
  close(): Promise<void>;
}

/** The projects of these zones, in their order. */
export function projectsIn(kept: readonly ZoneKey[]): readonly string[] {
  return [...new Set(kept.map(({ project }) => project))];
}
