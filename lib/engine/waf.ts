import type { DesiredZone } from "../config/desired.ts";
import {
  readPreview,
  readStanding,
  readStandingWith,
  type WafPreview,
  type WafStanding,
} from "../kinds/waf-migration/standing.ts";
import type { Client } from "../service/client.ts";
import type { TerraformResource } from "./terraform-state.ts";
import { type ProjectOptions, readProject, type World, zonesOf } from "./world.ts";

/** How far each zone has migrated its WAF. Only reads. Throws what the client throws, and `Refusal`. */
export async function wafStandings(world: World, options: ProjectOptions): Promise<readonly WafStanding[]> {
  return inEachZone(world, options, (client, zone) => readStanding(client, zone, world.signal));
}

/** The same, with the zones' previous managed rules in a Terraform state. */
export async function wafStandingsWith(
  world: World,
  options: ProjectOptions,
  resources: readonly TerraformResource[],
): Promise<readonly WafStanding[]> {
  return inEachZone(world, options, (client, zone) => {
    const own = resources.filter((resource) => resource.zone === zone.id);
    return readStandingWith(client, zone, own, world.signal);
  });
}

/** What the migration of each zone would save. Only reads. Throws what the client throws, and `Refusal`. */
export async function wafPreviews(world: World, options: ProjectOptions): Promise<readonly WafPreview[]> {
  return inEachZone(world, options, (client, zone) => readPreview(client, zone, world.signal));
}

async function inEachZone<T>(
  world: World,
  options: ProjectOptions,
  read: (client: Client, zone: DesiredZone) => Promise<T>,
): Promise<readonly T[]> {
  const { project } = await readProject(world, options);
  const client = world.connect(project.desired.budget);
  const found: T[] = [];
  for (const zone of zonesOf(project, options.zones ?? [])) found.push(await read(client, zone));
  return found;
}
