import type { ZoneId } from "../core/brand.ts";
import { Refusal } from "../core/diagnostic.ts";
import { projectsIn } from "../state/stores.ts";
import type { ProjectStates } from "./world.ts";

/** The other projects of a store, for a caller that did not find the state of its own. */
export interface OtherProjects {
  readonly names: readonly string[];
  /** Those that have a state of the zone. */
  withZone(zone: ZoneId): readonly string[];
}

/** The other projects in the place of the states. A place that cannot be listed has none: another message is due. */
export async function otherProjects({
  stores,
  project,
}: Pick<ProjectStates, "stores" | "project">): Promise<OtherProjects> {
  try {
    const kept = (await stores.kept()).filter((each) => each.project !== project);
    return {
      names: projectsIn(kept),
      withZone: (zone) => projectsIn(kept.filter((each) => each.zone === zone)),
    };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { names: [], withZone: () => [] };
  }
}

/** The commands that move the states of these projects to the name that the project has now. */
export function movingCommands(names: readonly string[]): readonly string[] {
  return names.map((name) => `zoneform state mv --project ${name}`);
}
