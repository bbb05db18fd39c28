import { problem, Refusal, refusal } from "../../lib/core/diagnostic.ts";
import type { ZoneId } from "../../lib/core/brand.ts";
import { readHeading, readProject } from "../../lib/engine/world.ts";
import { claimText } from "../../lib/plan/claims.ts";
import type { LocalWorld } from "../../lib/real/world.ts";
import type { Claim } from "../../lib/state/zone/claims.ts";
import type { Context } from "../context.ts";
import { projectOptions, localWorld } from "../world.ts";
import { printSafe, underLock } from "../states.ts";
import type { StateWriteFlags } from "../flags.ts";

type ReleaseFlags = StateWriteFlags & { readonly project?: string };

/** Runs `zoneform state release`. Needs neither the service nor the states. */
export async function runStateRelease(context: Context, flags: ReleaseFlags): Promise<void> {
  const world = localWorld(context, flags);
  const heading = await readHeading(world, flags.config).catch(unlessNamed(flags));
  const stores = await world.openStores(heading?.state ?? {});
  const claims = await stores.claims.list();
  const project = flags.project ?? heading?.project ?? "";
  const own = claims.filter((claim) => claim.project === project);
  if (own.length === 0 && flags.project !== undefined) throw nothingClaimed(project, claims, stores.describe());
  const nameOf = await zoneNames(world, flags);
  const zones = [...new Set(own.map(({ zone }) => zone))].filter((zone) => isMeant(flags, zone, nameOf));
  if (zones.length === 0) printSafe(context, `project ${project} claims nothing there`);
  for (const zone of zones) {
    const things = own.filter((claim) => claim.zone === zone).map(claimText);
    const what = `the claims of project ${project} in ${nameOf.get(zone) ?? `zone ${zone}`}: ${things.join(", ")}`;
    if (!flags.dryRun)
      await underLock(context, flags, { store: stores.of(project), zone: { id: zone } }, "state release", (lease) =>
        stores.claims.release(project, zone, () => stores.of(project).checkLease(zone, lease)),
      );
    printSafe(context, `${flags.dryRun ? "would release" : "released"} ${what}`);
  }
}

/** With `--project`, the claims can be released without the YAML. */
function unlessNamed({ project }: ReleaseFlags): (thrown: unknown) => undefined {
  return (thrown) => {
    if (project === undefined || !(thrown instanceof Refusal)) throw thrown;
    return undefined;
  };
}

/**
 * The names of the zones, if the YAML can be read. A project that no longer exists has none, and its zones are shown by
 * id.
 */
async function zoneNames(world: LocalWorld, flags: ReleaseFlags): Promise<ReadonlyMap<ZoneId, string>> {
  try {
    const { project } = await readProject(world, projectOptions(flags), "where-at-hand");
    return new Map(project.desired.zones.map(({ id, name }) => [id, name]));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return new Map();
  }
}

function isMeant({ zone: wanted = [] }: ReleaseFlags, zone: ZoneId, nameOf: ReadonlyMap<ZoneId, string>): boolean {
  return wanted.length === 0 || wanted.includes(zone) || wanted.includes(nameOf.get(zone) ?? zone);
}

function nothingClaimed(project: string, claims: readonly Claim[], place: string): Refusal {
  const names = [...new Set(claims.map((claim) => claim.project))].sort();
  const remedy = names.length === 0 ? "there is nothing to release" : `these projects do: ${names.join(", ")}`;
  return refusal(problem("nothing-claimed", { project: JSON.stringify(project), place }, { remedy }));
}
