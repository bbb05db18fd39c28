import type { CertificateZone } from "../lib/certificates/read.ts";
import { readProject, zonesOf } from "../lib/engine.ts";
import { loadState } from "../lib/state/load.ts";
import type { ServiceFlags } from "./context.ts";
import { projectOptions } from "./project.ts";
import type { ServiceWorld } from "./world.ts";

/** The zones that the flags name, each ready for its certificates to be read. Throws `Refusal`. */
export async function* certificateZones(world: ServiceWorld, flags: ServiceFlags): AsyncGenerator<CertificateZone> {
  const { project } = await readProject(world, projectOptions(flags));
  const client = world.connect(project.desired.budget);
  for (const zone of zonesOf(project, flags.zone ?? [])) {
    const state = (await loadState(world.store, zone.id))?.state;
    yield { client, zone, state, signal: world.signal };
  }
}
