import type { ZoneId } from "../core/brand.ts";
import { Refusal } from "../core/diagnostic.ts";
import type { ProjectStates } from "./world.ts";

/** The other projects of a store, for a caller that did not find the state of its own. */
export interface OtherProjects {
  readonly names: readonly string[];
  /** Those that have a state of the zone. */
  readonly withZone: readonly string[];
}

/** More projects than this are not looked into. */
const MOST_LOOKED_INTO = 50;

/** The other projects in the place of the states. A place that cannot be listed has none: another message is due. */
export async function otherProjects(
  { stores, project }: Pick<ProjectStates, "stores" | "project">,
  zone: ZoneId,
): Promise<OtherProjects> {
  try {
    const names = (await stores.projects()).filter((name) => name !== project);
    const withZone: string[] = [];
    for (const name of names.slice(0, MOST_LOOKED_INTO))
      if ((await stores.of(name).zones()).includes(zone)) withZone.push(name);
    return { names, withZone };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { names: [], withZone: [] };
  }
}

/** The commands that move the states of these projects to the name that the project has now. */
export function movingCommands(names: readonly string[]): readonly string[] {
  return names.map((name) => `zoneform state mv --project ${name}`);
}
